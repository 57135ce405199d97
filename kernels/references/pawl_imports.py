# SPDX-License-Identifier: Apache-2.0
"""Lists the files of a repository that decide what a script in Python does. pawl runs `pawl_imports.py SCRIPT TOP` with the
names of the repository's files on standard input, each with a zero at its end. The answer is one name a line. An answer of
`* REASON` means that any file may decide, because the script may read files or import by a computed name.

The script, its modules and what they import count. A module may lie in any folder, because scripts change sys.path. A file
that hides a module of the system or of a package counts too. docs/adr/identical-code.md argues this. Standard library only;
it runs no line of the script."""

import ast
import os
import sys

SUFFIXES = (".py", ".pyc", ".pyd", ".so", ".pth")
# These modules read no file of the repository, unless a call below names it.
KNOWN = set("""abc argparse array bisect cmath collections contextlib copy cupy cutlass dataclasses decimal enum errno fractions
functools gc heapq itertools logging math numbers numba numpy operator os pathlib pawl pawl_protocol pawl_torch platform queue
random re statistics string struct sys textwrap threading time torch traceback triton types typing typing_extensions warnings
weakref __future__""".split())
# Names of functions and attributes that read files, start programs or reach others by a computed name.
READERS = set("""CDLL DataSource ElementwiseKernel LoadLibrary Popen PyDLL RawKernel RawModule ReductionKernel access attrgetter builtins cdll
compile_extension cpp_extension declare_device delattr dlopen eval exec execfile exists extern_elementwise f2py fdopen fileConfig
find_spec fork from_file fromfile fromregex genfromtxt getatime getctime getmtime getsize getsource glob globals hub iglob
import_module importlib is_dir is_file isdir isfile iterdir jit_load lexists lib libc_ver listdir load load_inline load_library
load_state_dict loadtxt locals lstat memmap meta_path methodcaller mmap open open_memmap path_hooks path_importer_cache pickle
popen posix_spawn read read_bytes read_text readlink rglob samefile scandir sendfile spawnl spawnv stat system vars walk
__builtins__ __import__ __loader__ __spec__ _compile_kernel""".split())
DUNDERS = set("""__all__ __add__ __call__ __doc__ __enter__ __eq__ __exit__ __file__ __future__ __getitem__ __init__ __len__ __main__
__mul__ __name__ __post_init__ __repr__ __setitem__ __sub__ __version__""".split())
LANGUAGES = ("triton.language", "triton.experimental.gluon.language")  # their `load` reads the memory of a GPU
COMPILERS = ("triton.compile", "triton.compiler.compile")  # they take the path of a file too


class Anything(Exception):
    """The reason why any file may decide."""


def imports_of(tree, path):
    """The names of the modules that it imports, and the names that stand for a language of Triton."""
    modules, languages = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules.add(alias.name)
                if alias.name in LANGUAGES and alias.asname:
                    languages.add(alias.asname)
        elif isinstance(node, ast.ImportFrom):
            prefix = (node.module or "") if not node.level else "." + (node.module or "")
            for alias in node.names:
                if alias.name in READERS:
                    raise Anything("'%s' uses '%s'" % (path, alias.name))
                modules.add(prefix + "." + alias.name)
                if prefix + "." + alias.name in LANGUAGES:
                    languages.add(alias.asname or alias.name)
    return modules, languages


def look_for_readers(tree, languages, path):
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in ("extern_libs", "fromfile_prefix_chars", "link", "path"):
            raise Anything("'%s' uses '%s='" % (path, node.arg))
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr", "compile"):
            words = node.args[1:2] if node.func.id != "compile" else []
            name = words[0].value if words and isinstance(words[0], ast.Constant) else node.func.id + "()"
            if name == node.func.id + "()":
                raise Anything("'%s' uses '%s'" % (path, name))
        if not isinstance(name, str):
            continue
        of_language = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in languages
        hidden = name.startswith("__") and name.endswith("__") and name not in DUNDERS
        runs = isinstance(node, ast.Attribute) and (name.startswith(("exec", "spawn")) or ast.unparse(node) in COMPILERS)
        if (name in READERS or hidden or runs) and not (of_language and name == "load"):
            raise Anything("'%s' uses '%s'" % (path, name))


def parts_of(name):
    """The names by which an import can reach the file: its folders and the beginning of its own name."""
    *folders, last = name.split("/")
    return {*folders, last.partition(".")[0]}


def installed_modules(top):
    """The names of the system's and the packages' modules, and whether a folder of the repository is on the path."""
    names, of_tree = {"sitecustomize", "usercustomize", *sys.stdlib_module_names}, False
    for folder in sys.path[1:]:  # the first is the folder of this script
        real = os.path.realpath(folder)
        if real == top or real.startswith(top + os.sep):
            of_tree = True
        elif os.path.isdir(real):
            names.update(entry.partition(".")[0] for entry in os.listdir(real))
    return names, of_tree


def hiding(modules, installed, folder):
    """The files that hide an installed module if this folder is on sys.path; None: any folder may be."""
    found = set()
    for name in modules:
        pieces = name.split("/")
        for place, piece in enumerate(pieces):
            inside = folder is None or "/".join(pieces[:place]) == folder
            if inside and piece.partition(".")[0] in installed:
                found.add(name)
    return found


def adds_folders(tree):
    return any(isinstance(node, ast.Attribute) and node.attr == "path" and isinstance(node.value, ast.Name)
               and node.value.id == "sys" for node in ast.walk(tree)) or any(
        isinstance(node, ast.ImportFrom) and node.module == "sys" for node in ast.walk(tree))


def decisive_files(script, top, names):
    modules = {name: parts_of(name) for name in names if name.endswith(SUFFIXES)}
    installed, of_tree = installed_modules(top)
    folder = None if of_tree else os.path.dirname(script)
    todo = [script, *sorted(hiding(modules, installed, folder))]
    seen = set(todo)

    def follow(names):
        todo.extend(sorted(set(names) - seen))
        seen.update(names)

    while todo:
        path = todo.pop()
        if not path.endswith(".py"):
            raise Anything("'%s' imports '%s'" % (script, path))
        with open(os.path.join(top, path), "rb") as file:
            tree = ast.parse(file.read())
        imported, languages = imports_of(tree, path)
        look_for_readers(tree, languages, path)
        if folder is not None and adds_folders(tree):
            folder = None
            follow(hiding(modules, installed, None))
        for module in sorted(imported):
            pieces = [piece for piece in module.split(".") if piece]
            here = {name for name, parts in modules.items() if any(piece in parts for piece in pieces)}
            if not module.startswith(".") and pieces[0] not in KNOWN and not any(pieces[0] in modules[name] for name in here):
                raise Anything("'%s' imports '%s'" % (path, pieces[0]))
            follow(here)
        above = path.split("/")[:-1]
        follow({"/".join([*above[:count], "__init__.py"]) for count in range(1, len(above) + 1)} & set(modules))
    return sorted(seen)


def main():
    script, top = sys.argv[1], os.path.realpath(sys.argv[2])
    names = [name for name in sys.stdin.buffer.read().decode(errors="surrogateescape").split("\0") if name]
    try:
        print(*decisive_files(script, top, names), sep="\n")
    except Anything as reason:
        print("* %s" % reason)
    except (SyntaxError, ValueError, OSError) as error:
        print("* %s" % " ".join(str(error).split()))


main()
