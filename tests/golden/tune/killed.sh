# SPDX-License-Identifier: Apache-2.0
# A search that is killed anywhere goes on as if nothing had happened: the journal becomes the same, byte for byte.
python3 - <<'PYTHON'
import json, pathlib, random, signal, subprocess, time
cache = {f"{a},{b}": {"A": a, "B": b, "time": 1 + (a - 9) ** 2 / 30 + (b - 6) ** 2 / 50 if (a + b) % 7 else "RuntimeFailedConfig"}
         for a in range(20) for b in range(20)}
json.dump({"device_name": "d", "kernel_name": "k", "tune_params_keys": ["A", "B"], "cache": cache}, open("cache.json", "w"))
rng = random.Random(1)
for batch in ("1", "8"):
    words = ["pawl", "tune", "--replay", "cache.json", "--evaluations", "60", "--batch", batch]
    begin = time.monotonic()
    whole = subprocess.run([*words, "-o", "whole"], capture_output=True, text=True, check=True).stdout
    seconds = time.monotonic() - begin
    expected = pathlib.Path("whole/tune.jsonl").read_bytes()
    kills, partial = 0, 0
    for trial in range(400):  # a busy machine makes "seconds" long: few searches are then killed
        if trial >= 8 and kills > 3 and partial > 3:
            break
        folder = pathlib.Path(f"killed-{batch}-{trial}")
        for _ in range(200):
            search = subprocess.Popen([*words, "-o", str(folder), "--resume"], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)  # a sanitizer may look for leaks just then
            try:
                out = search.communicate(timeout=seconds * rng.uniform(0.05, 1))[0]
                break
            except subprocess.TimeoutExpired:
                search.send_signal(signal.SIGKILL)
                search.communicate()
                journal = folder / "tune.jsonl"
                kills, partial = kills + 1, partial + (journal.exists() and len(journal.read_bytes()) < len(expected))
        else:
            out = subprocess.run([*words, "-o", str(folder), "--resume"], capture_output=True, text=True, check=True).stdout
        assert out == whole, (out, whole)
        assert (folder / "tune.jsonl").read_bytes() == expected, f"{folder} differs"
    print("batches of", batch, "the same:", kills > 3 and partial > 3)
PYTHON
try pawl tune --replay cache.json --evaluations 60 --seed 2 -o whole --resume
try pawl tune --replay cache.json --resume
