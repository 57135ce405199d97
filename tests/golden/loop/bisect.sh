# SPDX-License-Identifier: Apache-2.0
# bisect: the commit that made a kernel slower, wrong or faster, inside of a merge too, past commits that do not build or
# change no code. The same command goes on with the answers that it has.
# Needs true times.
repository
printf 'gate: {false_alarm: 10%%, miss: 20%%, max_blocks: 30, busy: count}\n' >>pawl.yaml
sleeps 1
commit "Good"
git tag good
for i in 1 2 3; do
  echo "$i" >notes
  commit "Note $i"
done
git checkout -q -b side
echo 1 >side
commit "Side"
sleeps 20
commit "Sleep longer"
git checkout -q main
echo 4 >notes
commit "Note 4"
git merge -q --no-ff -m "Merge the side" side
echo 'int x = ;' >>kernels/scale_cpu.c
commit "Does not build"
sed -i '/int x = ;/d' kernels/scale_cpu.c
commit "Builds again"
git tag slow
sed -i 's/y\[i\] = 2/y[i] = 3/' kernels/scale_cpu.c
commit "Wrong"
echo 5 >notes
commit "Note 5"

# the commits have other names each time, and the figures differ
show() {
  status=0
  pawl -q bisect "$@" -o bisect.json >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  python3 - "$status" <<'PYTHON'
import json, sys
answer = json.load(open("bisect.json"))
for find in answer["finds"]:
    print(find["commits"], find["author"] and find["subject"], f"merged from parent {find['merge_parent']}" if find["merge"] else "-",
          "slower" if (find["slowdown_pct"] or 0) > 100 else "faster" if (find["slowdown_pct"] or 0) < -50 else find["reason"],
          "proven" if find["proven"] else "not proven")
print(answer["kind"], "commits", answer["commits"], "undecided:", answer["undecided"], "status", sys.argv[1])
PYTHON
}
show scale_cpu --case tiny --good good --bad slow
cp -r .pawl/bisect kept
show scale_cpu --good good --bad slow
diff -r .pawl/bisect kept && echo "the kept answers suffice"
grep -c 'again: pawl compare --paired scale_cpu@' "$SCRATCH/out"
# the newest commit has no valid time, so the search is for the wrong result
show --good good
