# SPDX-License-Identifier: Apache-2.0
"""Operators and cases from the definitions of FlashInfer-Bench and SOL-ExecBench: JSON with axes, inputs, outputs and a reference
in PyTorch, and workloads as lines of JSON. `pawl import definition FILE [WORKLOADS]` runs this file. docs/guides/python.md lists
what pawl refuses. The operator reads the JSON beside its script when it runs:

    import pawl_definition

    pawl_definition.serve(__file__, "rmsnorm_h4096.json", scalars={"eps": 1e-6}, tolerance=(1e-2, 1e-2))"""

import ast
import json
import os
import re
import sys

import pawl

DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "e4m3"}
MODULES = ("torch", "math", "typing", "numpy", "functools", "itertools", "collections", "dataclasses", "__future__")
RANDOM = re.compile(r"\b(multinomial|bernoulli|dropout|rand|randn|randint|rand_like|randn_like|normal_|uniform_|exponential_)\b")
FIRST_SIZE = 64  # the size of an axis that no workload gives
MOST_CASES = 20
LARGEST_AXIS = 1 << 30
LONGEST_OPERATOR, LONGEST_NAME = 80, 100  # pawl.yaml takes no longer name
# The reference in FP64: it names these types for its own arithmetic and for the rounding of its outputs.
TO_FP64 = ((re.compile(r"\btorch\.(float32|float16|bfloat16|half|float|float8_e4m3fn)\b(?!\()"), "torch.float64"),
           (re.compile(r"\.(float|half|bfloat16)\(\)"), ".double()"))


class Refused(ValueError):
    """The reason why pawl cannot use a definition."""


def axes_of(definition):
    """Maps each axis to None if it varies, else to its value or its expression as a text."""
    axes = {}
    for name, axis in definition["axes"].items():
        kind = axis.get("type")
        if kind not in ("const", "var", "expr"):
            raise Refused("axis '%s' has the type '%s'" % (name, kind))
        if kind == "const" and not (type(axis["value"]) is int and 1 <= axis["value"] <= LARGEST_AXIS):
            raise Refused("axis '%s' has the value %s, which is no size" % (name, axis["value"]))
        axes[name] = None if kind == "var" else str(axis["value"] if kind == "const" else axis["expression"])
    return axes


def replaced(expression, axes):
    """The expression over the axes that vary."""
    for _ in axes:  # an expression may name another
        expression = re.sub(r"\b[A-Za-z_]\w*\b", lambda word: "(%s)" % axes[word[0]] if axes.get(word[0]) else word[0], expression)
    return expression


def layout(definition, scalars):
    """The tensors as pawl.operator takes them."""
    axes, tensors = axes_of(definition), {}
    for role, group in (("in", "inputs"), ("out", "outputs")):
        for name, tensor in definition[group].items():
            if tensor["shape"] is None and role == "in" and name in scalars:
                continue
            if tensor["shape"] is None:
                raise Refused("%s '%s' is a scalar%s" % (group[:-1], name, ", and no workload gives its value" * (role == "in")))
            if tensor["dtype"] not in DTYPES:
                raise Refused("%s '%s' has the dtype %s" % (group[:-1], name, tensor["dtype"]))
            unknown = [str(axis) for axis in tensor["shape"] if isinstance(axis, str) and axis.isidentifier() and axis not in axes]
            if unknown:
                raise Refused("%s '%s' has the unknown axis '%s'" % (group[:-1], name, unknown[0]))
            tensors[name] = "%s %s[%s]" % (role, DTYPES[tensor["dtype"]], ", ".join(
                replaced(str(axis), axes) for axis in tensor["shape"]) or "1")
    return tensors


def check(definition, scalars):
    """Raises Refused where pawl cannot say the same as the definition."""
    for key in ("name", "axes", "inputs", "outputs", "reference"):
        if not definition.get(key):
            raise Refused("it has no '%s'" % key)
    if definition.get("custom_inputs_entrypoint"):
        raise Refused("its inputs come from code of its own (custom_inputs_entrypoint)")
    layout(definition, scalars)
    text = definition["reference"]
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Refused("its reference is no Python: %s" % error) from None
    if not any(isinstance(node, ast.FunctionDef) and node.name == "run" for node in tree.body):
        raise Refused("its reference has no function 'run'")
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else (
            [node.module or "."] if isinstance(node, ast.ImportFrom) else [])
        for name in names:
            if name.partition(".")[0] not in MODULES:
                raise Refused("its reference imports '%s'" % name)
    for pattern, reason in ((RANDOM, "its reference draws random numbers ('%s')"), (re.compile(r"\bcuda\b"), "its reference needs a GPU ('%s')"),
                            (re.compile(r"\bfinfo\b|\.view\(\s*torch\."), "its reference depends on the bits of a type ('%s')")):
        found = pattern.search(text)
        if found:
            raise Refused(reason % found[0])
    sizes = set(axes_of(definition))
    for constraint in definition.get("constraints") or []:
        unknown = {node.id for node in ast.walk(ast.parse(constraint, mode="eval")) if isinstance(node, ast.Name)} - sizes
        if unknown:
            raise Refused("its constraint '%s' is about the values of a tensor" % constraint)


def run_of(definition, fp64):
    text = definition["reference"]
    for pattern, word in TO_FP64 if fp64 else ():
        text = pattern.sub(word, text)
    names = {"__name__": "reference"}
    exec(compile(text, definition["name"], "exec"), names)
    return names["run"]


def operator_name(definition):
    name = re.sub(r"[^a-z0-9_]", "_", definition["name"].lower())
    return (name if name[0].isalpha() else "op_" + name)[:LONGEST_OPERATOR]


def case_dtype(definition):
    return DTYPES[next(iter(definition["outputs"].values()))["dtype"]]


def serve(script, file, scalars=None, tolerance=None):
    """Serves the operator of the definition, or with the word `reference` its reference as a kernel on PyTorch's tensors."""
    scalars = scalars or {}
    with open(os.path.join(os.path.dirname(os.path.abspath(script)), file), encoding="utf-8") as text:
        definition = json.load(text)
    check(definition, scalars)
    axes, dtype = axes_of(definition), case_dtype(definition)
    varies = [name for name, value in axes.items() if value is None] or ["unit"]
    requires = " and ".join("(%s)" % replaced(text, axes) for text in definition.get("constraints") or []) or None
    outputs = {name: tensor["shape"] for name, tensor in definition["outputs"].items()}

    def called(fp64):
        run = []  # the code of the reference runs in the worker alone

        def function(**names):
            run.extend([] if run else [run_of(definition, fp64)])
            given = {**names, **scalars}
            result = run[0](*(given[name] for name in definition["inputs"]))
            named = pawl._named(result, list(outputs), "the reference")
            return {name: value.reshape(1) if outputs[name] == [] else value for name, value in named.items()}

        return function

    exact = called(True)
    exact.__doc__ = definition.get("description") or definition["name"]
    pawl.operator(operator_name(definition), sizes={name: (1, LARGEST_AXIS) for name in varies}, tensors=layout(definition, scalars),
                  dtypes=dtype, tolerances={dtype: tolerance} if tolerance else {}, requires=requires, arrays="torch")(exact)
    for device in ("cuda", "cpu"):
        pawl.kernel(operator_name(definition), name="reference" if device == "cuda" else "reference-cpu", device=device,
                    arrays="torch")(called(False))
    pawl.serve_for(script)


# --- pawl import definition ---


def workloads_of(path, name):
    """The workloads of a file of JSON lines, or of a list."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    entries = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]
    found = [entry.get("workload", entry) for entry in entries if entry.get("definition", name) == name]
    if not found:
        raise Refused("'%s' has no workload of '%s'" % (path, name))
    return found


def scalars_of(definition, workloads):
    """The values of the scalars. All workloads must agree, because a kernel gets tensors and sizes alone."""
    scalars = {}
    for workload in workloads:
        for name, source in workload.get("inputs", {}).items():
            if source.get("type") == "scalar" and scalars.setdefault(name, source["value"]) != source["value"]:
                raise Refused("the workloads give the scalar '%s' several values" % name)
    return {name: value for name, value in scalars.items() if name in definition["inputs"]}


def tolerance_of(workloads):
    """The narrowest of the workloads, or None."""
    found = [(entry["max_atol"], entry["max_rtol"]) for entry in (workload.get("tolerance") for workload in workloads) if entry]
    if any((workload.get("tolerance") or {}).get("required_matched_ratio", 1) < 1 for workload in workloads):
        print("warning: pawl compares every element: 'required_matched_ratio' below 1 does not hold", file=sys.stderr)
    return tuple(map(min, zip(*found))) if found else None


def case_name(name, case):
    sizes = "-".join("%s%d" % pair for pair in case.items())[:LONGEST_NAME]
    return "%s.%s" % (name[: LONGEST_NAME - len(sizes) - 1], sizes) if len(sizes) < LONGEST_NAME - 1 else sizes


def suite_text(definition, workloads, script):
    name, axes = operator_name(definition), axes_of(definition)
    varies = [axis for axis, value in axes.items() if value is None] or ["unit"]
    for workload in workloads:
        missing = [axis for axis in varies if axis != "unit" and axis not in workload["axes"]]
        if missing:
            raise Refused("a workload has no value of the axis '%s'" % missing[0])
    chosen = [{axis: workload["axes"].get(axis, 1) for axis in varies} for workload in workloads] or [dict.fromkeys(varies, FIRST_SIZE)]
    chosen = [case for place, case in enumerate(chosen) if case not in chosen[:place]]
    cases = "".join("  %s: {operator: %s, %s, dtype: %s}\n" % (
        case_name(name, case), name, ", ".join("%s: %d" % pair for pair in case.items()), case_dtype(definition))
        for case in chosen[:MOST_CASES])
    small = {axis: sorted({1, 7, min([FIRST_SIZE, *(case[axis] for case in chosen)])}) for axis in varies}
    checks = "" if definition.get("constraints") else "check:\n  %s: {%s}\n" % (
        name, ", ".join("%s: %s" % pair for pair in small.items()))
    return ("operators:\n  %s: {protocol: [python3, %s, %s]}\nreferences:\n"
            "  %s_torch: {operator: %s, device: cuda, optional: true, protocol: [python3, %s, reference]}\ncases:\n%s%s"
            % (name, script, name, name, name, script, cases, checks))


def convert(file, workload_files, folder):
    with open(file, encoding="utf-8") as text:
        definition = json.load(text)
    if not isinstance(definition, dict):
        raise Refused("it is no object")
    workloads = [entry for path in workload_files for entry in workloads_of(path, definition.get("name"))]
    missing = [key for key in ("name", "axes", "inputs", "outputs", "reference") if not definition.get(key)]
    if missing:
        raise Refused("it has no '%s'" % missing[0])
    for workload in workloads:
        for name, source in workload.get("inputs", {}).items():
            if source.get("type") not in ("random", "scalar", None):
                raise Refused("a workload takes the input '%s' from a file or from code (%s)" % (name, source["type"]))
    scalars, tolerance = scalars_of(definition, workloads), tolerance_of(workloads)
    check(definition, scalars)
    name = operator_name(definition)
    words = "".join(", %s=%r" % pair for pair in (("scalars", scalars), ("tolerance", tolerance)) if pair[1])
    script = ("# pawl import definition wrote this. The tolerance is that of the precision, or of the workloads.\nimport pawl_definition\n\n"
              "pawl_definition.serve(__file__, \"%s.json\"%s)\n" % (name, words))
    suite = suite_text(definition, workloads, "operators/%s.py" % name)
    files = {"operators/%s.json" % name: json.dumps(definition, indent=1) + "\n", "operators/%s.py" % name: script}
    fresh = not os.path.exists(os.path.join(folder, "pawl.yaml"))
    if fresh:
        files["pawl.yaml"] = "version: 1\n" + suite
    for path in files:
        if os.path.exists(os.path.join(folder, path)):
            raise FileExistsError("'%s' already exists; import does not overwrite files" % path)
    os.makedirs(os.path.join(folder, "operators"), exist_ok=True)
    for path, text in files.items():
        with open(os.path.join(folder, path), "w", encoding="utf-8") as out:
            out.write(text)
    print("wrote %s" % " and ".join(files))
    if not fresh:
        print("add this to pawl.yaml:\n%s" % suite, end="")


def main(words):
    try:
        convert(words[0], words[1:], ".")
    except FileExistsError as error:
        sys.exit(print(error, file=sys.stderr) or os.EX_CANTCREAT)
    except OSError as error:
        sys.exit(print("cannot read '%s': %s" % (error.filename, error.strerror.lower()), file=sys.stderr) or os.EX_NOINPUT)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        reason = str(error) if isinstance(error, ValueError) else "it is no definition: %s %s" % (type(error).__name__, error)
        print("cannot use the definition '%s': %s" % (words[0], " ".join(reason.split())), file=sys.stderr)
        sys.exit(os.EX_DATAERR)


if __name__ == "__main__":
    main(sys.argv[1:])
