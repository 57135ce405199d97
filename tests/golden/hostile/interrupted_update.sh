# SPDX-License-Identifier: Apache-2.0
# kill -9 at any moment of an update: the baseline is the old one or the new one, and the next update finds no lock.
steady_machine
quiet pawl -q ratchet "$DATA/base.json" --update
mv perf/baseline.json old.json
cp old.json new.json
pawl -q ratchet "$DATA/faster.json" --baseline new.json --update >/dev/null
: >killed
(
  for delay in 0.000 0.001 0.002 0.003 0.004 0.005 0.006 0.007 0.008 0.010 0.012 0.015 0.020 0.030; do
    cp old.json perf/baseline.json
    pawl -q ratchet "$DATA/faster.json" --update >/dev/null &
    sleep "$delay"
    kill -9 $! && echo "after $delay s" >>killed
    wait $! || true
    cmp -s perf/baseline.json old.json || cmp -s perf/baseline.json new.json || echo "broken after $delay s"
  done
) 2>/dev/null
[ -s killed ] && echo "some were killed in the middle"
cp old.json perf/baseline.json
quiet timeout 10 pawl -q ratchet "$DATA/faster.json" --update
cmp perf/baseline.json new.json && echo "the next update is whole"
