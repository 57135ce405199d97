# SPDX-License-Identifier: Apache-2.0
# A search begins with the times of an earlier one of the kernel and its cases, whatever the code was; --resume, with those
# that it began with. A budget of no time tries nothing new.
# Takes long.
repository
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], tune: {M: [1, 2, 3, 4]}}|" pawl.yaml
at_once() {
  pawl tune scale_cpu --strategy exhaustive --budget 0.001s "$@" 2>&1 >/dev/null | grep -E "begins|began|omit|cannot|does not" | sed -e 's|/.*/||' -e 's/parameters: .*/parameters/'
  head -1 "${OUT:-perf/out/tune}/tune.jsonl" | grep -o '"prior":\[[^]]*\]'
}
entry() { echo "{\"key\": \"$1\", \"outcome\": \"${3:-ok}\", \"reason\": null, \"median_ms\": $2, \"current_ms\": 1, \"code_hash\": null, \"same_as\": null}"; }
# Times of this search, in the order of its questions.
timed() { entry "$@" >>perf/out/tune/tune.jsonl; }
kept() { grep -c '"outcome": "ok"' .pawl/tuned/scale_cpu-*.json; }
echo "-- the first search, which times two"
at_once
timed M=1 3
timed M=2 2
at_once --resume
kept
echo "-- the code changes; the new one does not build at first"
cp kernels/scale_cpu.c "$SCRATCH/code.c"
sed -i 's/2 \* x\[i\]/2 * y/' kernels/scale_cpu.c
at_once
sed 's/2 \* x\[i\]/3 * x[i] - x[i]/' "$SCRATCH/code.c" >kernels/scale_cpu.c
at_once
timed M=2 3
timed M=1 2
timed M=3 1
at_once --resume
kept
echo "-- a search that goes on begins with what it began with"
at_once --prior none --resume
sed -i 's/3 \* x\[i\] - x\[i\]/4 * y/' kernels/scale_cpu.c
at_once --prior none
sed -i 's/4 \* y/3 * x[i] - x[i]/' kernels/scale_cpu.c
at_once --resume
echo "-- the next one, with one time and with failures alone: neither is kept"
at_once
timed M=3 1
at_once --resume
kept
at_once
timed M=3 null crashed
timed M=1 null crashed
timed M=2 null crashed
at_once --resume
kept
echo "-- as asked for"
at_once --prior none
at_once --prior .pawl/tuned/scale_cpu-*.json
at_once --prior perf/out/tune/tune.prior
OUT=$SCRATCH/other at_once --resume --prior none -o "$SCRATCH/other"
OUT=$SCRATCH/another at_once --resume -o "$SCRATCH/another"
echo "-- it is damaged, is a folder, or is of another parameter"
file=$(echo .pawl/tuned/scale_cpu-*.json)
mv "$file" "$SCRATCH/kept"
echo "no JSON" >"$file"
at_once
rm "$file"
mkdir "$file"
at_once
rmdir "$file"
mv "$SCRATCH/kept" "$file"
sed -i "s|tune: {M: |tune: {N: |" pawl.yaml
at_once
echo "-- a link, and what is no file, in the place of pawl's own files: what they lead to stays"
sed -i "s/tune: {N: /tune: {M: /" pawl.yaml
OUT=perf/out/tune
cp .pawl/tuned/scale_cpu-*.json "$SCRATCH/given.json"
for file in "$(echo .pawl/tuned/scale_cpu-*.json)" $OUT/tune.json $OUT/suggestions.md $OUT/t4.json $OUT/tune.prior; do
  echo mine >"$SCRATCH/mine.$(basename "$file")"
  rm -rf "$file"
  ln -s "$SCRATCH/mine.$(basename "$file")" "$file"
done
rm -f $OUT/kernel_tuner_cache.json
mkfifo $OUT/kernel_tuner_cache.json
at_once --prior "$SCRATCH/given.json"
timed M=3 2
timed M=1 3
timeout 20 pawl -q tune scale_cpu --strategy exhaustive --budget 0.001s --resume >/dev/null 2>&1 || test $? = 2
cat "$SCRATCH"/mine.* | sort | uniq -c
find .pawl/tuned $OUT -type l -o -type p
echo "-- a file that cannot be written is named, and nothing is beside it that says the search has ended"
budget=1
for name in kernel_tuner_cache.json t4.json search.png suggestions.md; do
  test -e $OUT/tune.json || echo "no tune.json"
  rm -f $OUT/$name
  mkdir $OUT/$name
  budget=$((budget + 1)) # it had ended
  quiet pawl -q tune scale_cpu --strategy exhaustive --budget "0.00${budget}s" --resume
  test ! -e $OUT/tune.json || echo "tune.json is there"
  rmdir $OUT/$name
  pawl -q tune scale_cpu --strategy exhaustive --budget "0.00${budget}s" --resume >/dev/null || test $? = 2
done
