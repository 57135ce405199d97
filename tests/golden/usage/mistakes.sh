# SPDX-License-Identifier: Apache-2.0
# The command line's mistakes are exit status 64 and one line that says what to do.
try pawl
try pawl buidl
try pawl --jsno list
try pawl nothing-like-it
try pawl compare one.json
try pawl compare one.json two.json three.json
try pawl compare --treshold -3 one.json two.json
try pawl compare --threshold three one.json two.json
try pawl compare --threshold nan "$DATA/base.json" "$DATA/base.json"
try pawl compare -o
try pawl bench --samples 0
try pawl bench --samples 10x
try pawl bench --shard 3/2
try pawl bench --shard 1
try pawl check --seed -1
try pawl build -D 9=1
try pawl build -D A
try pawl init --example attentoin
try pawl init one two
try pawl init --kernel mine.c --example triton
try pawl doctor --quick --token-file token
try pawl merge "$DATA/base.json"
try pawl merge -o merged.json
try pawl baseline
try pawl baseline acept sdpa_cpu --case a --reason b
try pawl baseline accept sdpa_cpu --reason b
try pawl baseline accept sdpa_cpu --case training_512
try pawl baseline accept sdpa_cpu --case training_512 --reason ''
try pawl baseline accept sdpa_cpu --case training_512 --reason slow --hardware gpu
try pawl report "$DATA/base.json" -o report.docx
try pawl history prune --older-than 0 --case tiny
try pawl history import "$DATA/history.ndjson" --dry-run
try pawl history -o trend.csv
try pawl -C
try pawl list --all
try pawl init ''
try pawl run -o ''
try pawl tune -o ''
try pawl -C '' list
ls
