#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Comments that a reader must decode (CONTRIBUTING.md, English), and helpers of one name in several files.

    words.py ROOT [ROOM ...]    the comments of these rooms of src/; without one, of all rooms, of FOLDERS and of PYTHON_FOLDERS
    words.py --helpers ROOT     the function names that several files of src/ define, and their share of all functions"""
import ast
import collections
import io
import itertools
import pathlib
import re
import sys
import tokenize

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
OPENINGS = re.compile(r"(of|who|whose|whom|what|which|the same of|those (that|who|of)|as far as|for want of|such)\b", re.IGNORECASE)
CLIPPED = re.compile(r"\bso many\b|\bis told\b|\bof such\b|\bfor want of\b|\bas far as it is\b|^\.\.\.|(?<![\]A-Z])\.\.\.$", re.IGNORECASE)
FUNCTION = re.compile(r"^(?:static |inline )*\w[\w ]*[ *](\w+)\([^;{}#]*\)\s*\{", re.MULTILINE)
MOST_SHARED = 0.08
FOLDERS = ("src", "include", "kernels", "bench", "examples", "templates", "tests")
PYTHON_FOLDERS = ("tests", "scripts", "examples", "bench", "kernels")
SUFFIXES = (".c", ".h", ".cu", ".cuh")


def plain(comment):
    text = re.sub(r"\n\s*\*? ?", " ", comment[2:-2]).strip(" *\n")
    return re.sub(r"^\[[^]]*\]:?\s*", "", text)  # "[count]: what it holds" describes an array's shape


def clipped(text):
    sentences = re.split(r"(?<=[.;:])\s+", text)
    return bool(OPENINGS.match(text)) or bool(CLIPPED.search(text)) or any(
        re.match(r"(Who|What|Whose|Of)\b(?!.*\?$)", sentence) for sentence in sentences)


def c_comments(source):
    for match in COMMENT.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, plain(match[0])


def python_comments(source):
    """The docstrings, and the comments. Neighbouring lines that hold a comment alone are one comment."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno, " ".join(text.split())
    comments = {token.start[0]: token for token in tokenize.generate_tokens(io.StringIO(source).readline)
                if token.type == tokenize.COMMENT}
    alone = {line for line, token in comments.items() if token.line.lstrip().startswith("#")}
    for line in sorted(comments):
        if not {line - 1, line} <= alone:
            end = next(end for end in itertools.count(line + 1) if line not in alone or end not in alone)
            yield line, " ".join(comments[i].string.lstrip("# ") for i in range(line, end))


def check_comments(root, rooms):
    folders = [f"src/{room}" for room in rooms] or FOLDERS
    readers = [(folder, SUFFIXES, c_comments) for folder in folders]
    readers += [(folder, (".py",), python_comments) for folder in PYTHON_FOLDERS if not rooms]
    for folder, suffixes, comments in readers:
        for path in sorted(path for path in (root / folder).rglob("*") if path.suffix in suffixes):
            for line, text in comments(path.read_text()):
                if clipped(text):
                    yield f"{path.relative_to(root).as_posix()}:{line}: {text[:90]}"


def helpers(root):
    homes, functions = collections.defaultdict(set), 0
    for path in sorted((root / "src").rglob("*.c")):
        names = set(FUNCTION.findall(COMMENT.sub("", path.read_text()))) - {"main"}
        functions += len(names)
        for name in names:
            homes[name].add(path.relative_to(root / "src").as_posix())
    shared = {name: paths for name, paths in homes.items() if len(paths) > 1}
    return shared, sum(map(len, shared.values())) / functions


def check_folders(root, rooms):
    """A room without a folder, or a folder without a file, would pass unread."""
    for room in rooms:
        if not (root / "src" / room).is_dir():
            yield f"there is no src/{room}/"
    for folder in FOLDERS:
        if not any(path.suffix in SUFFIXES for path in (root / folder).rglob("*")):
            yield f"tests/rules/words.py: FOLDERS: {folder} has no source; delete it"


def main():
    if sys.argv[1] == "--helpers":
        shared, share = helpers(pathlib.Path(sys.argv[2]))
        for name, paths in sorted(shared.items(), key=lambda item: -len(item[1])):
            print(f"{name}: {' '.join(sorted(paths))}")
        print(f"{share:.1%} of the functions share their name with a function of another file")
        return share >= MOST_SHARED
    root = pathlib.Path(sys.argv[1])
    faults = [*check_folders(root, sys.argv[2:]), *check_comments(root, sys.argv[2:])]
    print("\n".join(faults) or "every comment is a sentence that stands on its own")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
