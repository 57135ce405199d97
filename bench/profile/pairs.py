#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `pawl profile --against` about each pair of kernels: pairs.py DIR [NAME...]. Needs pawl, nvcc, git and a GPU; --build needs nvcc
alone. It writes a repository whose commit has the kernels without a flaw, and whose working tree has them with it. For each pair it says
whether the first finding names the flaw, and whether the first line is that of the flaw, which LINES says. The tables of both versions are
in DIR/profiles, for judge.py."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import judge

HERE = pathlib.Path(__file__).resolve().parent
FLAWS = {**judge.PLANTED, **judge.MORE}
# The statements of a flaw: what the author must change, or what it makes slow. The first line of the explanation must have one of them.
LINES = {
    "features": ["y[i] = x[16 * i]"],
    "transpose": ["tile[threadIdx.x * PITCH + i]", "transpose<32>"],
    "recurrence": ["state[s] = state[s] * 0.5f", "__launch_bounds__(1024, 2)"],
    "smooth": ["y[i] = 0.25f * x[i]", "LARGE_SHARED, x"],
    "relax_by_data": ["value = value * 0.5f + step", "relax_by_data(y, blockIdx.x"],
    "relax": ["2 * multiprocessors + 1"],
    "levels": ["atomicAdd(&levels["],
    "polynomial": ["value = value * at + 0.25f"],
    "skinny_product": ["blockIdx.x % TILES", "const float4 value = x[", "sum += value.x"],
    "decay": ["value = value * 0.999 + 0.001"],
    "digits": ["sum += value % base", "value /= base", "digits(x, y, base)"],
    "half_product": ["__hfma2(", "__half2half2(", "sums[i][j] ="],
    "local_array": ["counts[(start + "],
    "uncoalesced_stores": ["y[(i % ROWS) * COLUMNS"],
    "shared_stores": ["tile[lane * PITCH", "write_columns<32>"],
    "shared_atomics": ["atomicAdd(&counts["],
    "products_in_turn": ["wgmma.wait_group", "multiply<1>"],
    "copies_in_turn": ["wait_for_copy(", "mbarrier.try_wait", "WAIT;", "add_copies<1>"],
    "barrier": ["__syncthreads()", "threadIdx.x / 32 == blockIdx.x % 16"],
    "small_launch": ["LAUNCH(small_launch_kernel, 8, 256", "sum += x[i]"],
    "hash_chain": ["value ^=", "value << 5", "value = mix(value)"],
    "radix": ["value % (base + digit)", "value /= base + digit"],
    "index_division": ["i / (c * b)"],
    "global_sum": ["atomicAdd(y, x[i])"],
    "float_product": ["sums[i][0] +=", "const float x = left", "const float4 y ="],
    "gauss": ["exp(-0.5 *"],
}
NVCC = ["nvcc", "-O3", "-std=c++17", "-lineinfo", "-diag-suppress=177", "-Xcompiler", "-fPIC", "-gencode=arch=compute_90a,code=sm_90a", "-shared", "-cudart", "shared"]


def whole_kernel(text, begin):
    """The end of the function whose head begins there."""
    depth, at = 0, text.index("{", begin)
    while True:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if not depth:
            return at


def source_of(pair, kind):
    """The file of the pair with this kernel alone, under the name of the pair, and its launch."""
    text = next(text for text in ((HERE / name).read_text() for name in ("planted.cu", "more.cu")) if f"LAUNCH({pair}_{kind}," in text)
    rows = re.split(r"\n(?=    LAUNCH\(|};)", text[text.index("_pairs[] = {"):])
    row = next(row.strip().rstrip(",") for row in rows if row.strip().startswith(f"LAUNCH({pair}_{kind},"))
    text = text[:text.rindex("}  // namespace")]
    for head in reversed(list(re.finditer(r"^__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(", text, re.M))):
        if head[1] != f"{pair}_{kind}":
            text = text[:head.start()] + text[whole_kernel(text, head.start()):].lstrip("\n")
    text += f"}}  // namespace\n\nextern const pair_kernel plugin_pair =\n    {row};\nextern const char *const plugin_name = \"{pair}\";\n"
    return re.sub(rf"\b{pair}_{kind}\b", f"{pair}_kernel", text)


def build(folder, pair, kind, include):
    """The plug-in of one version, unless it is there."""
    tree = folder / kind
    source, built = pathlib.Path("kernels", f"{pair}.cu"), pathlib.Path("built", f"{pair}.so")
    (tree / source).parent.mkdir(parents=True, exist_ok=True), (tree / built).parent.mkdir(exist_ok=True)
    text = source_of(pair, kind)
    if (tree / built).exists() and (tree / source).exists() and (tree / source).read_text() == text:
        return
    (tree / source).write_text(text)
    subprocess.run([*NVCC, f"-I{HERE}", f"-I{include}", "-o", built, source, HERE / "pairs_kernel.cu"], cwd=tree, check=True)


def write_repository(folder, pairs):
    """The commit has the fixed kernels, the working tree the flawed ones."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    shutil.copytree(folder / "fixed", work)
    kernels = "".join(f"  {pair}: {{operator: softmax, device: cuda, build: {{command: [cp, built/{pair}.so, built/{pair}.out.so], "
                      f"output: built/{pair}.out.so}}}}\n" for pair in pairs)
    (work / "pawl.yaml").write_text(
        f"version: 1\nkernels:\n{kernels}cases:\n"
        "  all: {operator: softmax, rows: 131073, cols: 256, dtype: f32}\n"  # ELEMENTS of pairs.cu and a few more
        "  rereads: {operator: softmax, rows: 98304, cols: 256, dtype: f32}\n")  # the bytes of skinny_product
    (work / ".gitignore").write_text("*.out.so\n.pawl/\nout/\n")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Kernels without a flaw"]):
        subprocess.run([*git, *words], cwd=work, check=True)
    shutil.copytree(folder / "flawed", work, dirs_exist_ok=True)
    return work


def keep_table(work, folder, pair, case):
    """The tables of ncu's form, with the names of the kernels that judge.py knows."""
    (folder / "profiles").mkdir(exist_ok=True)
    for kind, where in (("flawed", ""), ("fixed", "base/")):
        table = work / f"out/{pair}/{where}{pair}-{case}.csv"
        (folder / f"profiles/{pair}_{kind}.csv").write_text(re.sub(rf"\b{pair}_kernel\b", f"{pair}_{kind}", table.read_text()))


def ask(work, folder, pair):
    """(finding is right, line is right, what pawl says)."""
    case = "rereads" if pair == "skinny_product" else "all"
    begin = time.monotonic()
    told = subprocess.run(["pawl", "-q", "--json", "profile", pair, "--case", case, "--against", "HEAD", "-o", f"out/{pair}"], cwd=work,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    seconds = time.monotonic() - begin
    if told.returncode:
        return False, False, f"no profile: {told.stderr.strip()[-300:]}"
    keep_table(work, folder, pair, case)
    document = json.loads(told.stdout)
    findings = [finding["id"] for kernel in document["kernels"] for finding in kernel["findings"]] or ["nothing"]
    change = document["change"]["candidate_s"] - document["change"]["base_s"]
    lines = [f"{line['file']}:{line['line']} `{line['source']}` {(line['candidate_s'] - line['base_s']) / change * 100:.0f} %"
             for line in document["lines"][:3]] or [f"no lines: {document['no_lines']}"]
    source = (document["lines"] or [{"source": None}])[0]["source"] or ""
    return (findings[0] == FLAWS[pair], any(text in source for text in LINES[pair]),
            f"{seconds:.1f} s, {change * 1e6:+.1f} us; {findings[0]}; {'; then '.join(lines)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pairs", nargs="*", metavar="NAME")
    parser.add_argument("--build", action="store_true", help="only build the plug-ins")
    parser.add_argument("--include", default=HERE.parent.parent / "include", help="the folder with pawl/kernel.h")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="ask about no further pair after this time")
    arguments = parser.parse_intermixed_args()
    folder, pairs = arguments.folder.resolve(), arguments.pairs or list(FLAWS)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: build(folder, *job, arguments.include), [(pair, kind) for pair in pairs for kind in ("fixed", "flawed")]))
    if arguments.build:
        return 0
    work, begin, right = write_repository(folder, pairs), time.monotonic(), []
    for pair in pairs:
        if time.monotonic() - begin > arguments.seconds:
            break
        finding, line, words = ask(work, folder, pair)
        right.append((finding, line))
        print(f"{pair}: finding {'ok' if finding else 'NOT'}, line {'ok' if line else 'NOT'}; {words}", flush=True)
    print(f"{sum(finding for finding, _ in right)} of {len(right)} flaws are named first; {sum(line for _, line in right)} of {len(right)} lines are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
