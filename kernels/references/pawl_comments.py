# SPDX-License-Identifier: Apache-2.0
"""Tells whether Python files of two trees differ in comments and layout alone, and whether a program could notice that.
pawl runs it with `python3 -I -S`, so no code of the trees runs. docs/adr/identical-code.md says what it must refuse.

usage: pawl_comments.py BASE_TREE NOW_TREE CHANGED_FILE... -- PYTHON_FILE...

It prints the first reason why a program may notice the change, "." where code has changed, or nothing."""

import ast
import io
import os
import re
import sys
import tokenize

# Prose begins with a word or a quote. Tools read other comments: an encoding, "#!", "# type:", "# /// script".
DIRECTIVE = re.compile(r"#\s*(?:[^\w\s\"'(]|[\w.-]+\s*[:=]|(?:pythran|transonic|pragma|omp)\b)")
READS_TEXT = re.compile(
    rb"\b(?:getsource\w*|getcomments|findsource|getblock|getframeinfo|get_source|get_data|linecache|tokenize|\w*lineno|"
    rb"co_(?:lines|linetable|lnotab|positions)|extract_(?:stack|tb)|inspect\.(?:stack|trace)|"
    rb"getfile|getabsfile|co_filename|__spec__|__loader__|__cached__|import __main__)\b|"
    rb"[.\"']__file__\b|argv\[0\]")
READS_ITSELF = re.compile(rb"__file__")
# A list of all ways to read a file has no end. So a program may use these modules, and those of the repository in Python.
MODULES = frozenset("__future__ abc cmath collections contextlib copy cupy cutlass dataclasses enum functools helion itertools jax "
                    "math numba numbers numpy operator pawl pawl_protocol pawl_torch random scipy statistics string struct time "
                    "torch triton typing warnings".split())
READERS = frozenset("__builtins__ __dict__ __globals__ __import__ argv eval exec fromfile fromregex genfromtxt "
                    "getattr globals loadtxt memmap modules open open_memmap vars".split())

OTHER_CODE = "."


def read(tree, name):
    with open(os.path.join(tree, name), "rb") as file:
        return file.read()


def code(text):
    """The code of a file; the same with types in comments, and the comments that tools may read."""
    tokens = list(tokenize.tokenize(io.BytesIO(text).readline))
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT and DIRECTIVE.match(token.string)]
    return ast.dump(ast.parse(text)), (ast.dump(ast.parse(text, type_comments=True)), comments + outdented(tokens))


def outdented(tokens):
    """Comments left of the block around them. Triton and others take the text of a function and remove its margin."""
    found, margins, waiting = [], [0], []
    for token in tokens:
        if token.type == tokenize.INDENT:
            margins.append(len(token.string))
        elif token.type == tokenize.DEDENT:
            margins.pop()
        elif token.type == tokenize.COMMENT:
            waiting.append(token)
        elif token.type not in (tokenize.NL, tokenize.NEWLINE):
            found += [one.string for one in waiting if one.start[1] < margins[-1]]
            waiting = []
    return found


def words(text):
    """The modules that a file imports, and the names that it uses."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], True) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level == 0 and node.module.partition(".")[0] or "", node.level == 0
            yield from ((alias.name, False) for alias in node.names)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            yield node.id if isinstance(node, ast.Name) else node.attr, False


def difference(base, now, name):
    texts = read(base, name), read(now, name)
    try:
        (before, old), (after, new) = map(code, texts)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return "python3 cannot read '%s'" % name
    if before != after:
        return OTHER_CODE
    if old != new:
        changed = next((b or a for a, b in zip(old[1] + [""], new[1] + [""]) if a != b), "# type:")
        return "a tool may read the comment '%.60s' of '%s'" % (changed, name)
    found = READS_ITSELF.search(texts[1])
    return found and "'%s' may read its own comments: it has '%s'" % (name, found[0].decode())


def reader(now, name, changed, own):
    """Other code that may read the text of the changed files."""
    text = read(now, name)
    found = READS_TEXT.search(text) or next(filter(None, (re.search(re.escape(os.path.basename(one).encode()), text)
                                                          for one in changed)), None)
    try:
        word = found[0].decode() if found else next(
            (("import " if module else "") + word for word, module in words(text)
             if (word not in MODULES and word not in own if module else word in READERS)), None)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "python3 cannot read '%s'" % name
    return word and "'%s' may read the comments of a file: it has '%s'" % (name, word)


def main(base, now, *names):
    end = names.index("--")
    changed, scripts = names[:end], names[end + 1:]
    for name in changed:
        reason = difference(base, now, name)
        if reason:
            return reason
    own = {os.path.splitext(part)[0] for name in scripts for part in name.split("/")}
    return next(filter(None, (reader(now, name, changed, own) for name in scripts)), "")


if __name__ == "__main__":
    print(main(*sys.argv[1:]), end="")
