# SPDX-License-Identifier: Apache-2.0
# Ctrl-C ends a command by the signal. One line says what is kept, and no worker stays behind.
# Needs true times.
repository
sed -i 's/samples: 12/samples: 1000000/; s/timeout: 30s/timeout: 100s/' pawl.yaml
git commit -q --amend -a --no-edit # the settings of the base apply
cat >interrupt.py <<'PYTHON'
# interrupt.py WORD COMMAND...: waits until the command prints the word, or until a process of it has this name
import os, pty, re, select, signal, sys, time
def descendants(pid):
    try:
        children = open(f"/proc/{pid}/task/{pid}/children").read().split()
    except OSError:
        children = []
    return children + [one for child in children for one in descendants(child)]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
def name(pid):
    try:
        return open(f"/proc/{pid}/comm").read().strip()
    except OSError:
        return ""
seen = b""
while sys.argv[1].encode() not in seen and sys.argv[1] not in map(name, descendants(pid)):
    if select.select([terminal], [], [], 0.1)[0]:
        seen += os.read(terminal, 4096)
time.sleep(0.5)
workers = descendants(pid)
os.write(terminal, b"\x03")
try:
    while data := os.read(terminal, 4096):
        seen += data
except OSError:
    pass
status = os.waitpid(pid, 0)[1]
print(*[line for line in re.sub(rb".*\r\x1b\[K", b"", seen).decode().splitlines() if line.startswith("pawl: ")], sep="\n")
print("ended by", signal.Signals(os.WTERMSIG(status)).name)
for _ in range(100):
    left = [one for one in workers if os.path.exists(f"/proc/{one}")]
    if not left:
        break
    time.sleep(0.1)
print(len(workers) > 0, left)
PYTHON
try python3 interrupt.py timing pawl bench
# run writes the report of the rows that are decided, and says so: the code of one kernel is the same, a call of the other takes 100 s
sed -i 's/samples: 1000000/samples: 12/; s/^  scale_cpu:.*/&\n  other: {operator: scale, device: cpu, sources: [kernels\/other.c]}/' pawl.yaml
cp kernels/scale_cpu.c kernels/other.c
commit "Add another kernel"
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i '1i #include <sys/prctl.h>\n#include <unistd.h>
/int64_t i = 0; i < n/i \  prctl(PR_SET_NAME, "sleeper");\n  sleep(100);' kernels/other.c
try python3 interrupt.py sleeper pawl run
for row in 0 1; do
  for key in kernel_name verdict reason; do field perf/out/verdict.json "comparisons.$row.$key"; done
done
