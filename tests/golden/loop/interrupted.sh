# SPDX-License-Identifier: Apache-2.0
# Ctrl-C ends a command by the signal. One line says what is kept, and no worker stays behind.
# Needs true times.
repository
sed -i 's/samples: 12/samples: 1000000/; s/timeout: 30s/timeout: 100s/' pawl.yaml
git commit -q --amend -a --no-edit # the settings of the base apply
cat >interrupt.py <<'PYTHON'
import os, pty, re, signal, sys, time
def descendants(pid):
    children = open(f"/proc/{pid}/task/{pid}/children").read().split()
    return children + [one for child in children for one in descendants(child)]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
while b"timing" not in seen:
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
print(re.sub(rb".*\r\x1b\[K", b"", seen).decode().splitlines()[-1])
print("ended by", signal.Signals(os.WTERMSIG(status)).name)
for _ in range(100):
    left = [one for one in workers if os.path.exists(f"/proc/{one}")]
    if not left:
        break
    time.sleep(0.1)
print(len(workers) > 0, left)
PYTHON
try python3 interrupt.py pawl bench
try python3 interrupt.py pawl run
