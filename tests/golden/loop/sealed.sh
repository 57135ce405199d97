# SPDX-License-Identifier: Apache-2.0
# Who can write to .pawl and has no key of pawl's forges nothing: each file that decides a result is sealed.
repository
kept() { sed "s|'[^']*/.pawl/[^']*'|'.pawl/FILE'|"; }
try pawl -q check
# Zeros with the header of the true values.
python3 - <<'PYTHON'
import glob
for name in glob.glob(".pawl/oracle/*.expected"):
    with open(name, "r+b") as file:
        data = file.read()
        file.seek(72)
        file.write(bytes(len(data) - 72))
PYTHON
pawl check 2>&1 >/dev/null | kept | sort -u
pawl check 2>&1 >/dev/null | kept | sort -u
# Another plug-in in the place of the kernel's, with the time that Ninja expects.
for file in .pawl/build/*/plugin.so; do
  touch -r "$file" "$SCRATCH/time"
  printf more >>"$file"
  touch -r "$SCRATCH/time" "$file"
done
pawl check 2>&1 >/dev/null | kept | sort -u
pawl check 2>&1 >/dev/null | kept | sort -u
# Nobody else can read the key, code under test least of all.
stat -c %a "$HOME/.local/state/pawl" "$HOME/.local/state/pawl/key"
cp kernels/scale_cpu.c "$SCRATCH/honest.c"
sed -i '1i #include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>' kernels/scale_cpu.c
python3 - <<'PYTHON'
from pathlib import Path
path = Path("kernels/scale_cpu.c")
text = path.read_text()
path.write_text(text.replace("  return 0;\n", """  char name[4096];
  snprintf(name, sizeof name, "%s/.local/state/pawl/key", getenv("HOME"));
  return open(name, O_RDONLY) >= 0;
""", 1))
PYTHON
grep -c 'pawl/key' kernels/scale_cpu.c
try pawl -q check
cp "$SCRATCH/honest.c" kernels/scale_cpu.c
# A key that others can read is no key, and no place for one is no failure.
chmod 644 "$HOME/.local/state/pawl/key"
pawl check 2>&1 >/dev/null | sed "s|$HOME|HOME|"
chmod 600 "$HOME/.local/state/pawl/key"
XDG_STATE_HOME=/dev/null pawl check 2>&1 >/dev/null | kept
