# SPDX-License-Identifier: Apache-2.0
# A run of equal code reads no file of a commit twice, and lists the files of no tree whose code it does not start.
repository
quiet pawl -q run --update-baseline
commit "Record the baseline"
mkdir "$SCRATCH/tools"
cat >"$SCRATCH/tools/git" <<PROGRAM
#!/bin/sh
echo "\$PWD \$*" >>"$SCRATCH/asked"
exec $(command -v git) "\$@"
PROGRAM
chmod +x "$SCRATCH/tools/git"
PATH="$SCRATCH/tools:$PATH" pawl -q run | head -1
grep -o 'cat-file .*' "$SCRATCH/asked" | sed 's/[0-9a-f]\{40\}/COMMIT/'
sed -n 's/worktrees.[0-9a-f]*/worktrees\/COMMIT/; s/ .* ls-files.*--cached.*/: lists its files/p' "$SCRATCH/asked"
