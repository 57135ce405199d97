#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package of a build: the same bytes twice, nothing outside /usr, dependencies of what is linked, and a pawl that
works where it is unpacked.

Usage: deb.py BUILD"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ["usr/bin/pawl", "usr/libexec/pawl/pawl-worker", "usr/lib/pawl/operators/attention.so", "usr/include/pawl/kernel.h",
         "usr/share/man/man1/pawl.1.gz", "usr/share/doc/pawl/copyright", "usr/share/pawl/guides/quick-start.md",
         "usr/share/bash-completion/completions/pawl.bash", "usr/share/fish/vendor_completions.d/pawl.fish",
         "usr/share/zsh/vendor-completions/_pawl", "usr/lib/python3/dist-packages/pawl.py",
         "usr/lib/python3/dist-packages/pawl_protocol.py", "usr/lib/python3/dist-packages/pawl_torch.py"]
NEEDED = ["libc6", "libcurl4", "libsqlite3-0", "libpq5", "libcairo2", "libopenblas0", "ninja-build", "git", "gcc"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=200, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make(build, folder):
    folder.mkdir()
    run(ROOT / "packaging/deb", "--build", build, folder)
    (package,) = folder.glob("*.deb")
    return package


def check_package(package):
    depends = {part.split()[0].removesuffix(",") for part in run("dpkg-deb", "--field", package, "Depends").split(", ")}
    yield from (f"Depends lacks {name}" for name in NEEDED if not any(word.startswith(name) for word in depends))
    for line in run("dpkg-deb", "--contents", package).splitlines():
        mode, owner, _, _, _, name = line.split(None, 5)
        writable = mode[0] != "l" and "w" in (mode[5], mode[8])
        if not (name.startswith("./usr/") or name == "./") or owner != "root/root" or "s" in mode or writable:
            yield f"a file of the wrong place, owner or mode: {line}"


def check_unpacked(package, folder):
    run("dpkg-deb", "--extract", package, folder)
    yield from (f"no {name}" for name in FILES if not (folder / name).is_file())
    run("md5sum", "--check", "--quiet", "-", cwd=folder, input=run("dpkg-deb", "--info", package, "md5sums"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAWL_")}
    environment.update(HOME=str(folder), GIT_CONFIG_GLOBAL="/dev/null")
    pawl = folder / "usr/bin/pawl"
    run(pawl, "doctor", "--quick", env=environment)
    if "quick-start" not in run(pawl, "guide", env=environment):
        yield "pawl guide does not list quick-start"
    suite = folder / "suite"
    run(pawl, "init", suite, "--example", "minimal", env=environment)
    if "passed" not in run(pawl, "-C", suite, "check", "--reduced", env=environment):
        yield "pawl check passes nothing"


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        package, again = make(sys.argv[1], scratch / "one"), make(sys.argv[1], scratch / "two")
        faults = [] if package.read_bytes() == again.read_bytes() else ["the package differs when it is made again"]
        faults += [*check_package(package), *check_unpacked(package, scratch / "root")]
        print("\n".join(faults) or f"{package.name} is whole")
        return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
