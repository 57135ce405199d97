# SPDX-License-Identifier: Apache-2.0
# Each benchmark of a folder that criterion writes is a row of a kernel: "{out}" is the folder. `pawl import` takes the
# same folder as one run.
cat >bench.py <<'PYTHON'
import json, os, pathlib
home = pathlib.Path(os.environ["CRITERION_HOME"])
for group, function, value, ns in [("fib", "rec", "20", 5000), ("fib", "rec", "30", 7000), ("sort", "quick", None, 9000)]:
    words = [word for word in (group, function, value) if word]
    folder = home.joinpath(*words, "new")
    folder.mkdir(parents=True)
    (folder / "sample.json").write_text(json.dumps({"sampling_mode": "Linear", "iters": [1, 2, 3], "times": [ns, 2 * ns, 3 * ns]}))
    (folder / "benchmark.json").write_text(json.dumps({"group_id": group, "function_id": function, "value_str": value,
                                                       "full_id": "/".join(words), "directory_name": "/".join(words)}))
(home / "report").mkdir()
PYTHON
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  rust: {command: [env, "CRITERION_HOME={out}", python3, -I, -S, bench.py], parse: criterion}
measure: {samples: 2, processes: 2}
SUITE
quiet pawl -q bench -o results.json
python3 -c '
import json
for row in json.load(open("results.json"))["results"]:
    print(row["case"], row["outcome"], row["performance"]["samples_ms"])'
CRITERION_HOME=criterion python3 bench.py
try pawl import criterion criterion
try pawl import criterion criterion/
pawl history fib | head -3
mkdir empty
try pawl import criterion empty
try pawl import hyperfine empty
echo '{"iters": []' >criterion/fib/rec/30/new/sample.json
try pawl import criterion criterion
