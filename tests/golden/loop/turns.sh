# SPDX-License-Identifier: Apache-2.0
# Two runs on one machine do not spoil each other: while one times, the other waits and names it. A run waits for a limited time. A
# lock file is nothing that pawl trusts.
repository
export PAWL_LOCK_FOLDER="$PWD/locks"
mkdir locks
shown() { sed 's/process [0-9]*/process N/; s/cpu-[0-9]*/cpu-N/; s# in /tmp[^ ,]*# in FOLDER#'; }
# another process holds the first CPU, as a pawl would
cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
cat >holder.py <<'PYTHON'
import fcntl, sys, time
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("process 7 (pawl run) in /home/ann/\x1b[31mthere", file=lock, flush=True)
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
PYTHON
hold() { # hold SECONDS
  rm -f said
  mkfifo said
  python3 holder.py "locks/pawl-cpu-$cpu.lock" "$1" >said &
  holder=$!
  read -r _ <said
}
hold 1000
for command in run bench "selftest scale_cpu --case tiny --trials 1"; do
  status=0
  # shellcheck disable=SC2086 # words
  pawl $command --wait 1s 2>&1 >/dev/null | shown | grep -E 'waiting|still' || status=$?
  echo "$command: $status"
done
pawl run --wait 1s >/dev/null 2>&1 || echo "exit status $?"
# a quiet pawl names the holder too, and at once
mkfifo quiet
pawl -q bench --wait 20s 2>quiet >/dev/null &
waiting=$!
read -r line <quiet && echo "$line" | shown
kill "$waiting"
wait "$waiting" 2>/dev/null || true
# check, build and list time nothing, so they do not wait
quiet pawl -q check
# the budget ends the wait, and the rows are not measured
pawl -q run --budget 2s >/dev/null 2>&1 || echo "exit status $?"
field perf/out/verdict.json comparisons.0.reason
# a kernel that does not build waits for nobody
sed -i 's/y\[i\] =/z[i] =/' kernels/scale_cpu.c
pawl run --wait 1s 2>&1 >/dev/null | grep -E 'BUILD|waiting'
pawl -q run --wait 1s >/dev/null 2>&1 || echo "exit status $?"
git checkout -q kernels
kill "$holder"
wait "$holder" 2>/dev/null || true
# when the other ends, the run goes on
hold 3
pawl run 2>said.txt | grep -oE ', waiting [1-9]' | sed 's/[1-9]$/N/'
shown <said.txt | sed 's/waited [0-9.]* s/waited N s/' | grep -E 'waiting|waited'
field perf/out/verdict.json comparisons.0.verdict
cat locks/*.lock | shown | sort -u
# a link, a pipe and a folder in the place of a lock
for trap in "ln -s $PWD/victim" "mkfifo" "mkdir" "ln victim"; do
  echo kept >victim
  rm -rf "locks/pawl-cpu-$cpu.lock"
  $trap "locks/pawl-cpu-$cpu.lock"
  timeout 60 pawl -q bench 2>&1 >/dev/null | sed "s#'/.*'#FOLDER#; s/cpu-[0-9]*/cpu-N/"
  cat victim
done
