# SPDX-License-Identifier: Apache-2.0
# run prints one line a row; colours and the width are a terminal's. -q leaves the verdict; the Markdown is in the file.
repository
sed -i 's/^check:/  another_case: {operator: scale, n: 100, dtype: f32}\n&/' pawl.yaml
commit "Add a case"
quiet pawl -q run --update-baseline
commit "Record the baseline"
without_seconds() { sed 's/^\(ESC\[2m\)*[0-9.]* s: build.*/SECONDS/'; }
pawl run 2>/dev/null | without_seconds
try pawl -q run
head -1 perf/out/report.md
# a terminal of 60 columns
terminal() {
  python3 - "$@" <<'PYTHON' | tr -d '\r' | sed 's/\x1b/ESC/g' | without_seconds
import fcntl, os, pty, struct, subprocess, sys, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
process = subprocess.Popen(sys.argv[1:], stdout=slave, stderr=subprocess.DEVNULL)
os.close(slave)
try:
    while data := os.read(master, 4096):
        sys.stdout.buffer.write(data)
except OSError:
    pass
process.wait()
PYTHON
}
export TERM=xterm
terminal pawl run
NO_COLOR=1 terminal pawl run
TERM=dumb terminal pawl -q run
# the same text of a stored run
try pawl report perf/out/verdict.json -o report.txt
without_seconds <report.txt
# unpaired too, the same machine code is no change, whatever the times are
same_code() { grep -o "^ *maintained .*same machine code" "$1" | sort; }
pawl run --against none >now.txt 2>/dev/null
head -1 now.txt
same_code now.txt
pawl report perf/out/verdict.json -o report.txt
same_code report.txt
grep -c '| same machine code |' perf/out/report.md
