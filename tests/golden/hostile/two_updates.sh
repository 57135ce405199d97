# SPDX-License-Identifier: Apache-2.0
# Updates at once: each one's move is there afterwards.
for i in 1 2 3 4 5 6 7 8; do
  sed "s/\"sdpa_cpu\"/\"kernel_$i\"/" "$DATA/base.json" >"results_$i.json"
done
pids=
for i in 1 2 3 4 5 6 7 8; do
  pawl -q ratchet "results_$i.json" --update >/dev/null &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid" || true; done
python3 -c '
import json
document = json.load(open("perf/baseline.json"))
print(len(document["entries"]), "entries of", len({e["kernel_name"] for e in document["entries"]}), "kernels")'
