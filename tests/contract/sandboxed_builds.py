#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds of a hostile change in the default mode: what they can read, write and leave behind, with namespaces and without.

Usage: sandboxed_builds.py BUILD full|files: with namespaces, or without; exit 77: this machine does not have the level."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import no_namespaces  # noqa: E402
import staged  # noqa: E402

SECRET = "SECRET-of-the-home"
# Options that make a compiler or its helpers read a file ({secret}, {options}) or a folder ({home}).
READS = """-imacros {secret} | -iprefix {home}/ -iwithprefix sub | --sysroot={home} | -isysroot {home} | -B{home}
-F{home} | --specs={options} | -fprofile-use={secret} | -fauto-profile={secret} | -Wl,-T,{secret} | -Wl,--version-script={secret}
-Wl,--dynamic-list={secret} | -Wl,@{options} | -Wa,@{options} | -Wa,-I{home} | -Wl,-R,{secret} | -Wl,-plugin,{secret}
-Xlinker -T -Xlinker {secret} | -Xassembler @{options} | -Xpreprocessor -include -Xpreprocessor {secret} | -Wp,-imacros,{secret}
-fuse-ld={secret} | -fmodule-mapper={secret} | -imacros linked.h | -I.. -include .git/config | -include /proc/1/environ
-include /proc/self/root{secret} | -include /dev/fd/3 | -wrapper /bin/cat,{secret}"""
# Options that make them write a file ({left}), also into a folder of git's.
WRITES = """-fdump-tree-all={left} | -dumpdir {left} -save-temps | -save-temps=cwd | -o {left} | -MD -MF {left} | -MD -MF .git/hooks/left -MT x
-fprofile-arcs -fprofile-dir={left} | --coverage | -Wl,-Map,{left} | -Wl,-Map,.git/left | -Wl,-o,{left} | -Wl,--dependency-file={left}
-aux-info {left} | -g -gsplit-dwarf | -Wa,-a={left} | -Wa,--MD,{left} | -fopt-info-all={left} | -time={left} | -fstack-usage
-fdiagnostics-format=json-file | -flto -save-temps | -wrapper /usr/bin/touch,{left}"""
CLANG = """--config {options} | -Xclang -include -Xclang {secret} | -Xclang -load -Xclang {secret} | -ivfsoverlay {secret}
-fmodules -fmodule-map-file={secret} | -MJ {left} | --serialize-diagnostics {left} | -ftime-trace={left} | -fproc-stat-report={left}
-resource-dir {home} | -fmodules -fmodules-cache-path={left}"""


def isolation(home, folder, confine):
    done = subprocess.run(["pawl", "doctor", "--quick", "--json"], env=staged.environment(home, folder), capture_output=True,
                          text=True, check=False, preexec_fn=confine)
    return next(word for word in ("full", "files", "none") if f'"{word}: ' in done.stdout)


class Builds:
    """The tests, which two classes below run."""
    confine = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pawl-boxed-")
        self.addCleanup(scratch.cleanup)
        self.user = pathlib.Path(scratch.name) / "home"
        self.tree = pathlib.Path(scratch.name) / "tree"
        self.environment = staged.environment(self.home, self.user)
        self.user.mkdir(exist_ok=True)
        self.pawl("-q", "init", "--example", "minimal", self.tree, folder=ROOT)
        self.source = self.tree / "kernels/scale_cpu.c"
        self.plain = self.source.read_text()
        self.suite = (self.tree / "pawl.yaml").read_text()
        self.secret = self.user / "secret.h"
        self.secret.write_text(f'const char secret[] = "{SECRET}";\n')
        subprocess.run(["git", "init", "-q", "."], cwd=self.tree, check=True)

    def pawl(self, *words, folder=None):
        return subprocess.run(["pawl", *words], cwd=folder or self.tree, env=self.environment, capture_output=True, text=True,
                              check=False, preexec_fn=type(self).confine)

    def keys(self, text):
        (self.tree / "pawl.yaml").write_text(self.suite.replace("sources: [kernels/scale_cpu.c]", text))

    def refused(self, what, *words):
        """The build fails with one clear line, and neither pawl's words nor its files hold the secret."""
        done = self.pawl("check", *words)
        said = done.stdout + done.stderr
        self.assertNotEqual(done.returncode, 0, f"{what}: {said}")
        self.assertNotIn(SECRET, said, what)
        for path in [*self.tree.glob(".pawl/**/*"), *self.tree.glob("perf/**/*")]:
            if path.is_file():
                self.assertNotIn(SECRET.encode(), path.read_bytes(), f"{what}: {path}")
        return said

    def test_sources_read_nothing_outside(self):
        assembler = '__asm__(".section .rodata\\n.incbin \\"%s\\"\\n.text");\n'
        for what, line in {"include": f'#include "{self.secret}"\n', "incbin": assembler % self.secret,
                           "shadow": '#include "/etc/shadow"\n', "has": f'#if !__has_include("{self.secret}")\n#error hidden\n#endif\n'}.items():
            if what == "has" and self.level != "full":
                continue  # Landlock hides contents, not names
            self.source.write_text(line + self.plain)
            said = self.refused(what)
            if what in ("include", "incbin"):
                self.assertIn("a build sees only the repository, the compiler's folders and 'include_dirs'", said)

    def test_pawl_itself_reads_nothing_outside(self):
        """pawl hashes what flags and compilers name, and looks for macros, outside of the sandbox."""
        for flag in (f"-B{self.user}", f"-Wa,-I{self.user}"):
            self.keys(f'sources: [kernels/scale_cpu.c], flags: ["-O1", "{flag}"]')
            self.assertEqual(self.pawl("build").returncode, 0, flag)
        (self.tree / "cc.sh").write_text(f"""#!/bin/sh
for word; do [ "$last" = -MF ] && list=$word; last=$word; done
cc "$@" && {{ [ -z "$list" ] || printf 'x: kernels/scale_cpu.c {self.secret}' >"$list"; echo {self.secret}; }}
""")
        (self.tree / "cc.sh").chmod(0o755)
        self.keys("sources: [kernels/scale_cpu.c], compiler: ./cc.sh")
        self.assertEqual(self.pawl("build").returncode, 0)
        records = list(self.tree.glob(".pawl/build/*/inputs"))
        self.assertEqual(len(records), 3)
        for record in records:
            self.assertNotIn(str(self.secret).encode(), record.read_bytes())
            self.assertNotIn(f"{self.user}\0".encode(), record.read_bytes())
        self.secret.write_text("#ifdef LOCKWORD\n#endif\n")
        self.keys("sources: [kernels/scale_cpu.c]")
        self.source.write_text(f'#ifdef NEVER\n#include "{os.path.relpath(self.secret, self.source.parent)}"\n#endif\n' + self.plain)
        self.assertEqual(self.same_words("LOCKWORD", "LOCKWARD"), 64)
        self.source.unlink()
        self.source.symlink_to(self.secret)
        self.assertEqual(self.same_words("LOCKWORD", "LOCKWARD"), 78)

    def same_words(self, *names):
        """The exit status, which does not depend on whether a file outside has the name."""
        done = [self.pawl("check", "-D", f"{name}=1") for name in names]
        self.assertEqual(len({(one.returncode, one.stderr.replace(name, "NAME")) for one, name in zip(done, names)}), 1,
                         [one.stderr for one in done])
        self.assertNotIn("did you mean", done[0].stderr)
        return done[0].returncode

    def code(self):
        """The hash of the kernel's machine code, and how many objects came from an earlier build."""
        done = self.pawl("build", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        built = json.loads(done.stdout)["builds"][0]
        return built["code_hash"], built["cache_hits"]

    def test_an_object_is_kept_by_all_that_decides_it(self):
        """Each input that the preprocessor's output does not show: another content is another object."""
        (self.tree / "a").mkdir()
        (self.tree / "b").mkdir()
        header, data, options = self.tree / "a/pre.h", self.tree / "data.bin", self.tree / "opts.rsp"
        split = '__asm__(".section .rodata\\n.i" "ncbin \\"data.bin\\"\\n.text");\n'
        data.write_text("one one one")
        header.write_text("#define FACTOR 2\n")
        options.write_text("-DFACTOR=2\n")
        scaled = self.plain.replace("2 * x[i]", "FACTOR * x[i]")
        self.assertNotEqual(scaled, self.plain)

        def compiled_header(folder):
            header.write_text("#define FACTOR 5\n")
            subprocess.run(["cc", "-O3", "-march=native", "-std=gnu11", "-fPIC", header, "-o", self.tree / folder / "pre.h.gch"], check=True)
            header.write_text("#define FACTOR 2\n")
        for what, source, keys, change in (
                ("two strings of the assembler", split + self.plain, "", lambda: data.write_text("two two two")),
                ("a response file after a macro", scaled, 'flags: ["-DX=1", "@opts.rsp"]', lambda: options.write_text("-DFACTOR=7\n")),
                ("a response file after a folder", scaled, 'flags: ["-Ia", "@opts.rsp"]', lambda: options.write_text("-DFACTOR=9\n")),
                ("a compiled header of another folder", '#include "pre.h"\n' + scaled, 'flags: ["-I", "b", "-Ia"]',
                 lambda: compiled_header("b")),
                ("a compiled header", '#include "pre.h"\n' + scaled, 'flags: ["-Ia"]', lambda: compiled_header("a"))):
            self.source.write_text(source)
            self.keys("sources: [kernels/scale_cpu.c]" + (f", {keys}" if keys else ""))
            before, _ = self.code()
            change()
            after, hits = self.code()
            self.assertEqual(hits, 0, what)
            if "compiled" not in what:  # gcc may find it invalid, and reads the header then
                self.assertNotEqual(before, after, what)

    def test_an_output_lands_in_the_tree_alone(self):
        """pawl copies the output outside of the sandbox, so no link may lead it, and nothing of git's is written."""
        if self.level != "full":
            self.skipTest("without namespaces a build command writes into its tree itself")
        config = self.tree / ".git/config"
        before = config.read_bytes()
        os.symlink(".git", self.tree / "x")
        (self.tree / "sub/.git").mkdir(parents=True)
        (self.tree / "make.sh").write_text('rm -rf "${1%/*}"; mkdir -p "${1%/*}"\n'
                                           'cc -O2 -fPIC -shared -I"$PAWL_INCLUDE_DIR" -o "$1" kernels/scale_cpu.c\n')
        for output in ("x/config", "sub/.git/config", ".git/config", "sub/../.git/config", ".pawl/a.so"):
            self.keys(f'command: [./{output}], build: {{command: [sh, make.sh, {output}], output: {output}}}')
            (self.tree / "pawl.yaml").write_text((self.tree / "pawl.yaml").read_text().replace("operator: scale, device: cpu, ", ""))
            done = self.pawl("build")
            self.assertNotEqual(done.returncode, 0, output)
            self.assertEqual(config.read_bytes(), before, output)
            self.assertEqual(list((self.tree / "sub/.git").iterdir()), [], output)

    def test_flags_read_nothing_outside(self):
        options = self.user / "options"
        options.write_text(f"-DX={SECRET}\n")
        for flags in (["-include", str(self.secret)], ["-imacros", str(self.secret)], [f"@{options}"], [f"-specs={options}"],
                      [f"-fplugin={self.secret}"], ["-I/"], [f"-I{self.user}"], ["-isystem", str(self.user)]):
            self.keys(f"sources: [kernels/scale_cpu.c], flags: {json.dumps(flags)}")
            self.refused(flags)
        self.keys(f"sources: [kernels/scale_cpu.c], include_dirs: [{json.dumps(str(self.user))}]")
        self.refused("the home as a folder of headers")

    def test_no_option_reads_or_writes_outside(self):
        """One kernel for each option."""
        options, left = self.user / "options", self.user / "left"
        options.write_text(f"-DX={SECRET}\n")
        (self.user / "sub").mkdir()
        (self.user / "sub/inner.h").write_text(f"#error {SECRET}\n")
        (self.tree / "linked.h").symlink_to(self.secret)
        self.source.write_text('#if __has_include("inner.h")\n#include "inner.h"\n#endif\n' + self.plain)
        lines = [(flags, "") for flags in (READS + "\n" + WRITES).replace("\n", " | ").split(" | ")]
        if shutil.which("clang"):
            lines += [(flags, ", compiler: clang") for flags in CLANG.replace("\n", " | ").split(" | ")]
        row = "  k{}: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c], flags: {}{}}}\n"
        kernels = "".join(row.format(i, json.dumps(flags.format(secret=self.secret, options=options, home=self.user, left=left).split()), more)
                          for i, (flags, more) in enumerate(lines))
        (self.tree / "pawl.yaml").write_text(self.suite.replace("kernels:\n", "kernels:\n" + kernels))

        def files():
            return {path for folder in (self.user, self.tree) for path in folder.rglob("*")
                    if not any(path.is_relative_to(own) for own in (self.tree / ".pawl", self.user / ".local"))}
        before = files()
        done = self.pawl("build", "--json")
        said = done.stdout + done.stderr
        self.assertIn(f"k{len(lines) - 1}", said, "pawl tried each")
        self.assertNotIn(SECRET, said)
        self.assertEqual(sorted(map(str, files() - before)), [])
        for path in self.tree.glob(".pawl/**/*"):
            if path.is_file():
                self.assertNotIn(SECRET.encode(), path.read_bytes(), str(path))

    def test_a_compiler_of_the_tree_reads_nothing_outside(self):
        compiler = self.tree / "compiler"
        compiler.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then cat {self.secret} || echo mine 1.0; exit 0; fi\n'
                            f'cat {self.secret} >&2\nexec cc "$@"\n')
        compiler.chmod(0o755)
        for name in ("./compiler", str(compiler)):
            self.keys(f"sources: [kernels/scale_cpu.c], compiler: {name}")
            done = self.pawl("build", "--json")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn(SECRET, done.stdout + done.stderr)

    def test_links_lead_nowhere(self):
        outside = self.user / "k.c"
        outside.write_text(self.plain + f"/* {SECRET} */\n")
        self.source.unlink()
        self.source.symlink_to(outside)
        self.assertIn("outside the repository", self.refused("a source"))
        self.source.unlink()
        (self.tree / "kernels/linked.h").symlink_to(self.secret)
        self.source.write_text('#include "linked.h"\n' + self.plain)
        self.refused("a header")

    def test_declared_folders_are_seen(self):
        headers = self.user / "headers"
        headers.mkdir()
        (headers / "declared.h").write_text("#define DECLARED 1\n")
        self.source.write_text('#include "declared.h"\n' + self.plain)
        for keys in (f"include_dirs: [{headers}]", f'flags: ["-O2", "-I{headers}"]', f'flags: ["-O2", "-isystem", "{headers}"]'):
            self.keys(f"sources: [kernels/scale_cpu.c], {keys}")
            done = self.pawl("check")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_links_on_the_way_lead_on(self):
        """Folders of headers and compilers behind links, some relative, as installations have them. A link that leads out is named."""
        data, tools, shown = self.user / "data", self.user / "tools", self.user / "shown"
        for folder in (data / "include/inner", data / "bin", data / "b", tools, shown):
            folder.mkdir(parents=True)
        (data / "include/inner/declared.h").write_text("#define DECLARED 1\n")
        (data / "bin/mine").write_text('#!/bin/sh\nexec cc "$@"\n')
        (data / "bin/mine").chmod(0o755)
        for link, target in ((tools / "current", "../data/b"), (data / "b/cc", "../bin/mine"), (shown / "cc", "../tools/current/cc"),
                             (tools / "headers", "newest"), (tools / "newest", "../data/include"), (shown / "inner", data / "include/inner"),
                             (self.tree / "cc", shown / "cc")):
            link.symlink_to(target)
        self.source.write_text('#include "inner/declared.h"\n' + self.plain)
        for keys in (f"include_dirs: [{tools}/headers]", f"include_dirs: [{data}/include], compiler: {shown}/cc",
                     f"include_dirs: [{data}/include], compiler: {tools}/current/cc", f"include_dirs: [{shown}, {data}/include/inner]"):
            self.keys(f"sources: [kernels/scale_cpu.c], {keys}")
            done = self.pawl("build")
            self.assertEqual(done.returncode, 0, f"{keys}: {done.stdout}{done.stderr}")
        self.keys(f"sources: [kernels/scale_cpu.c], include_dirs: [{shown}]")
        self.assertIn(f"'{shown}/inner' is a link to '{data}/include/inner', which a build does not see", self.refused("a link in a folder"))
        self.keys(f"sources: [kernels/scale_cpu.c], include_dirs: [{data}/include], compiler: ./cc")
        self.assertIn(f"the compiler './cc' is a link to '{data}/bin/mine' outside of the repository", self.refused("a link of the tree"))

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.tree, check=True, capture_output=True)

    def test_a_change_shows_what_its_base_names(self):
        """A change names a folder of the machine. Its builds see it if the base's suite names it, or if its user edits the tree."""
        quick = ("measure: {warmup: 1, samples: 4, processes: 1, cache: warm}\n"
                 "gate: {tolerate: 40%, detect: 90%, improve: 90%, busy: count, false_alarm: 20%, miss: 20%, max_blocks: 6}\n")
        self.suite = self.suite[:self.suite.index("measure: {")].replace("n: 1000000", "n: 1000") + quick
        named, other = self.user / "named", self.user / "other"
        for folder in (named, other):
            folder.mkdir()
            (folder / f"{folder.name}.h").write_text(f'#define {folder.name.upper()} "{SECRET}"\n')
        program = other / "cc"
        program.write_text('#!/bin/sh\nexec cc "$@"\n')
        program.chmod(0o755)
        self.keys(f"sources: [kernels/scale_cpu.c], include_dirs: [{named}]")
        self.git("checkout", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "base")
        self.git("checkout", "-q", "-b", "change")

        def run(what, keys, header, commit=True):
            self.keys(f"sources: [kernels/scale_cpu.c], {keys}")
            self.source.write_text(f'#include "{header}"\n/* {what} */\n' + self.plain)
            if commit:
                self.git("commit", "-qam", what)
            done = self.pawl("run")
            return "does not build" not in done.stdout + done.stderr, done.stdout + done.stderr

        built, said = run("a folder of the base", f"include_dirs: [{named}]", "named.h")
        self.assertTrue(built, said)
        self.assertNotIn("do not see", said)
        for keys in (f"include_dirs: [{named}, {other}]", f'flags: ["-O2", "-I{other}"]', f'flags: ["-O2", "-isystem", "{other}"]'):
            built, said = run(keys, keys, "other.h")
            self.assertFalse(built, said)
            self.assertIn(f"the builds of this change do not see '{other}': the suite of the base does not name it", said)
            self.assertNotIn(SECRET, said)
        built, said = run("a compiler", f"compiler: {program}", "stdio.h")
        self.assertFalse(built, said)
        self.assertIn(f"the compiler '{program}' is outside of the repository, and the suite of the base does not name it", said)
        built, said = run("the user's own edit", f"include_dirs: [{other}]", "other.h", commit=False)
        self.assertTrue(built, said)
        self.assertIn("scale", said)

    def test_a_command_leaves_nothing(self):
        mark = f"300.{os.getpid()}{self.level}"
        script = self.tree / "b.sh"
        script.write_text(
            f"#!/bin/sh\necho x >{self.user}/written\necho x >\"$HOME/written\"\necho x >.git/hooks/written\n"
            f"(setsid env -i sleep {mark.replace('full', '1').replace('files', '2')} >/dev/null 2>&1 &)\ncat {self.secret}\n"
            "ln -sf /etc/passwd output.log\nln -sf \"$PWD/kernels\" /pawl/build/inputs\n"
            "exec cc -O2 -shared -fPIC -I\"$PAWL_INCLUDE_DIR\" -o x.so kernels/scale_cpu.c\n")
        script.chmod(0o755)
        self.keys("build: {command: [./b.sh], output: x.so}")
        done = self.pawl("check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        self.assertEqual([str(path) for path in self.user.rglob("written")], [])
        for path in self.tree.glob(".pawl/**/*"):
            if path.is_file():
                self.assertNotIn(SECRET.encode(), path.read_bytes(), str(path))
        time.sleep(0.1)
        left = subprocess.run(["pgrep", "-f", f"sleep {mark.replace('full', '1').replace('files', '2')}"], capture_output=True,
                              text=True, check=False).stdout
        self.assertEqual(left, "", "no process of the build is left")
        self.assertFalse((self.tree / "x.so").exists())
        self.assertFalse((self.tree / ".git/hooks/written").exists())


    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "advice.addEmbeddedRepo=false", *words], cwd=self.tree, check=True)

    def test_a_build_cannot_tell_its_version(self):
        """A build command of the base sees what one of the change sees, but for the numbers in names."""
        (self.tree / "see.sh").write_text(
            "{ pwd; echo \"$0\"; env | sort; find . | sort; ls -lAn --time-style=+ . kernels; stat -c %s-%A .; tr '\\0' ' ' </proc/self/cmdline; "
            f"tr '\\0' ' ' </proc/$PPID/cmdline; cat {self.tree}/pawl.yaml .git .git/HEAD ../../../pawl.yaml ../../../.git/HEAD; "
            "stat -c '%n %Y' kernels/* pawl.yaml; cat /proc/self/mountinfo; git rev-parse HEAD; } >/tmp/seen.$$ 2>&1 || true\ncc -O2 -shared -fPIC -I\"$PAWL_INCLUDE_DIR\" -o x.so kernels/scale_cpu.c\n"
            "echo SEEN >>x.so; cat /tmp/seen.$$ >>x.so\n".replace("/tmp/seen", "\"${TMPDIR:-/tmp}/seen\""))
        self.suite = self.suite.replace("n: 1000000", "n: 1000").replace("samples: 60, processes: 6", "samples: 2, processes: 2")
        self.keys("build: {command: [sh, see.sh], output: x.so}")
        (self.tree / ".gitignore").write_text(".pawl/\nperf/out/\nignored\n")
        for version in "1", "2":
            self.source.write_text(self.plain + f"int version_{version};\n")
            self.git("add", "-A")
            self.git("commit", "-qm", version)
        (self.tree / "kernels/ignored").touch()
        os.utime(self.tree / "pawl.yaml", (1, 1))
        done = self.pawl("run", "--against", "HEAD~1", "--budget", "30s")
        made = [path for path in self.tree.glob(".pawl/build/*/plugin.so") if b"SEEN\n" in path.read_bytes()]
        self.assertEqual(len(made), 2, done.stdout + done.stderr)
        saw = [re.sub(rb"[0-9a-f]{12,}|0x[0-9a-f]+|[0-9]+/cmdline|(scratch|made)-......|seen[.]?[0-9]+|(?m:^[0-9]+ [0-9]+ [0-9]+:[0-9]+)", b"NUMBER",
                      path.read_bytes().split(b"SEEN\n")[-1]).decode() for path in made]
        self.assertIn("PAWL_INCLUDE_DIR", saw[0])
        self.assertNotRegex(saw[0] + saw[1], "worktrees|[.]pawl/build|ignored")
        self.assertEqual(*saw)


    def versions(self, sources, keys=""):
        """Commits a base with these kernels, and a change of each. Files that git ignores come after the base."""
        self.suite = self.suite.replace("n: 1000000", "n: 1000").replace("samples: 60, processes: 6", "samples: 2, processes: 2")
        line = next(line for line in self.suite.splitlines(True) if "sources: [kernels/scale_cpu.c]" in line)
        rows = "".join(line.replace("scale_cpu:", f"{name}:").replace("kernels/scale_cpu.c]", f"kernels/{name}.c]{keys}") for name in sources)
        (self.tree / "pawl.yaml").write_text(self.suite.replace(line, rows))
        (self.tree / ".gitignore").write_text(".pawl/\nperf/out/\nlocal.h\nmade/\n*.a\n")
        for version in "1", "2":
            for name, text in sources.items():
                (self.tree / f"kernels/{name}.c").write_text(f"{text}\n{self.plain}\nint version_{version};\n")
            self.git("add", "-A")
            self.git("commit", "-qm", version)

    def built(self, mark, *names):
        """The plug-ins of both versions that have the mark. A build with line numbers is never timed."""
        for name in names:
            done = self.pawl("diff", "HEAD~1", name)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        plugins = [path.read_bytes() for path in self.tree.glob(".pawl/build/*/plugin.so")]
        return [plugin for plugin in plugins if mark in plugin and b".debug_line" not in plugin]

    def test_a_source_cannot_tell_its_version(self):
        """By a file that git ignores, or by what an earlier build left, before the base is built for the first time."""
        tell = '#if {}\n#define WHAT "{}:yes"\n#else\n#define WHAT "{}:no"\n#endif\n__attribute__((used)) const char saw[] = WHAT;\n'
        local = '__has_include("../local.h") || __has_include("../made/gen.h") || __has_include("../sub/local.h")'
        left = " || ".join(f'__has_include("/pawl/build/{name}")' for name in ("plugin.so", "back-end", "0.o", "0.d", "inputs", "sealed", "output.log"))
        self.git("init", "-q", "sub")
        (self.tree / "sub/.gitignore").write_text("local.h\n")
        self.git("-C", "sub", "add", ".gitignore")
        self.git("-C", "sub", "commit", "-qm", "sub")
        (self.tree / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n')
        self.versions({"ignored": tell.format(local, "LOCAL", "LOCAL"), "earlier": tell.format(left, "LEFT", "LEFT")})
        (self.tree / "sub/local.h").touch()
        self.assertEqual(self.pawl("build").returncode, 0)
        for name, seen in ("LOCAL", b"LOCAL:yes"), ("LEFT", b"LEFT:no"):
            with self.subTest(name):
                plugins = self.built(name.encode() + b":", "ignored" if name == "LOCAL" else "earlier")
                self.assertEqual([seen in plugin for plugin in plugins], [True, True])

    def test_a_change_that_needs_an_ignored_file_sees_no_more_than_its_base(self):
        self.versions({"needs": '#if __has_include("../local.h")\n#define SAW "SAW:yes"\n#else\n#define SAW "SAW:no"\n#endif\n'
                       '__attribute__((used)) const char saw[] = SAW;\n'})
        (self.tree / "made").mkdir()
        (self.tree / "made/gen.h").touch()
        (self.tree / "local.h").touch()
        source = self.tree / "kernels/needs.c"
        for _ in range(2):
            source.write_text('#include "../made/gen.h"\n' + source.read_text())
            self.assertEqual(self.pawl("build").returncode, 0)
        self.assertEqual({b"SAW:yes" in plugin for plugin in self.built(b"SAW:", "needs")}, {True})

    def test_a_build_that_needs_what_git_ignores_gets_the_same_in_both_versions(self):
        self.versions({"needs": '#include "../made/gen.h"\nint value(void); int other(void) { return value(); }\n'
                       '__attribute__((used)) const char saw[] = GEN;\n'}, ", libs: [libvalue.a]")
        (self.tree / "made").mkdir()
        (self.tree / "made/gen.h").write_text('#define GEN "SAW:first"\n')
        (self.tree / "v.c").write_text("int value(void) { return 1; }\n")
        subprocess.run("cc -fPIC -c v.c -o made/v.o && ar rcs libvalue.a made/v.o && rm v.c", shell=True, cwd=self.tree, check=True)
        self.assertEqual(len(self.built(b"SAW:first", "needs")), 2)
        said = self.pawl("run", "--against", "HEAD~1", "--budget", "20s").stdout
        self.assertIn("the builds of needs read 'made/gen.h' and 1 more, which git ignores: both versions have the working tree's", said)
        (self.tree / "made/gen.h").write_text('#define GEN "SAW:second"\n')
        self.assertEqual(len(self.built(b"SAW:second", "needs")), 2, "a new content is a new build of both")

    def test_a_change_gives_the_base_no_file_that_it_tracks(self):
        """The suite of the base shares a folder that git ignores, and the change commits a file in it."""
        self.suite = self.suite.replace("measure: {", "measure: {files: [made], ").replace("n: 1000000", "n: 1000")
        self.keys("sources: [kernels/scale_cpu.c]")
        (self.tree / ".gitignore").write_text(".pawl/\nperf/out/\nmade/\n")
        (self.tree / "made").mkdir()
        (self.tree / "made/data").touch()
        self.source.write_text('#if __has_include("../made/gen.h")\n#include "../made/gen.h"\n#else\n#define GEN "SAW:none"\n#endif\n'
                               f"__attribute__((used)) const char saw[] = GEN;\n{self.plain}")
        self.git("checkout", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "base")
        self.git("checkout", "-q", "-b", "change")
        (self.tree / "made/gen.h").write_text('#define GEN "SAW:change"\n')
        self.git("add", "-f", "made/gen.h")
        self.git("commit", "-qm", "change")
        said = self.pawl("run", "--budget", "20s").stdout
        self.assertIn("git tracks files at 'made' of measure.files: each version sees its own", said)
        plugins = [path.read_bytes() for path in self.tree.glob(".pawl/build/*/plugin.so")]
        self.assertEqual(sorted(b"SAW:change" in plugin for plugin in plugins if b"SAW:" in plugin), [False, True])

    def test_a_change_takes_no_file_of_the_base_away(self):
        """The base tracks a file in a folder that its suite shares, and the change removes it."""
        self.suite = self.suite.replace("measure: {", "measure: {files: [made], ").replace("n: 1000000", "n: 1000")
        self.keys("sources: [kernels/scale_cpu.c]")
        (self.tree / ".gitignore").write_text(".pawl/\nperf/out/\nmade/\n")
        (self.tree / "made").mkdir()
        (self.tree / "made/gen.h").write_text('#define GEN "SAW:base"\n')
        self.source.write_text('#if __has_include("../made/gen.h")\n#include "../made/gen.h"\n#else\n#define GEN "SAW:none"\n#endif\n'
                               f"__attribute__((used)) const char saw[] = GEN;\n{self.plain}")
        self.git("checkout", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("add", "-f", "made/gen.h")
        self.git("commit", "-qm", "base")
        self.git("checkout", "-q", "-b", "change")
        self.git("rm", "-q", "made/gen.h")
        self.git("commit", "-qm", "change")
        (self.tree / "made").mkdir(exist_ok=True)
        (self.tree / "made/data").touch()
        self.pawl("run", "--budget", "20s")
        plugins = [path.read_bytes() for path in self.tree.glob(".pawl/build/*/plugin.so")]
        self.assertEqual(sorted(b"SAW:base" in plugin for plugin in plugins if b"SAW:" in plugin), [False, True])

    def test_a_file_that_git_ignores_is_seen_where_the_suite_says_so(self):
        """Without a word of the suite neither version sees it, and the message names it."""
        (self.tree / ".gitignore").write_text(".pawl/\nmade/\n")
        (self.tree / "made").mkdir()
        (self.tree / "made/factor.h").write_text("#define FACTOR 2\n")
        self.source.write_text('#include "made/factor.h"\n' + self.plain.replace("2 * x[i]", "FACTOR * x[i]"))
        self.keys('build: {command: [sh, -c, "cc -O2 -I. -I$PAWL_INCLUDE_DIR -shared -fPIC -o x.so kernels/scale_cpu.c"], output: x.so}')
        said = self.refused("a header that git ignores")
        self.assertIn("git ignores 'made', so a build command does not see it; add it to git or to `measure: {files: [...]}`", said)
        suite = self.tree / "pawl.yaml"
        suite.write_text(suite.read_text().replace("measure: {", "measure: {files: [made], "))
        done = self.pawl("check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class WithNamespaces(Builds, unittest.TestCase):
    level = "full"

    def test_a_command_has_no_network(self):
        self.keys('build: {command: [sh, -c, "cat /proc/net/dev >x.so"], output: x.so}')
        self.pawl("check")
        made = next(path for path in self.tree.glob(".pawl/build/*/plugin.so") if b"lo:" in path.read_bytes()).read_text()
        self.assertEqual([line.split(":")[0].strip() for line in made.splitlines()[2:]], ["lo"])

    def test_two_trees_are_one_place(self):
        """Both see the same paths, and the second build takes the object of the first."""
        self.source.write_text(self.plain + 'const char *place(void) { return __FILE__; }\n')
        first = json.loads(self.pawl("build", "--json").stdout)["builds"][0]
        self.assertNotIn(str(self.tree), first["command"])
        self.git("add", "-A")
        self.git("commit", "-qm", "all")
        self.git("worktree", "add", "-q", ".pawl/worktrees/other")
        other = self.tree / ".pawl/worktrees/other"
        built = json.loads(self.pawl("build", "--json", folder=other).stdout)["builds"][0]
        self.assertEqual((built["command"], built["code_hash"]), (first["command"], first["code_hash"]))

    def test_the_secret_can_be_read_where_the_suite_says_so(self):
        """The tests above would notice a secret."""
        (self.tree / "pawl.yaml").write_text(self.suite.replace("measure: {", "measure: {isolation: off, "))
        self.source.write_text(f'#include "{self.secret}"\nint secret;\n' + self.plain)
        done = self.pawl("check")
        self.assertIn(SECRET, done.stdout + done.stderr)


class WithoutNamespaces(Builds, unittest.TestCase):
    level = "files"
    confine = staticmethod(no_namespaces.forbid_namespaces)


def main():
    with tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage, tempfile.TemporaryDirectory() as scratch:
        home = staged.install(pathlib.Path(sys.argv[1]), stage)
        Builds.home = home
        (case,) = (case for case in (WithNamespaces, WithoutNamespaces) if case.level == sys.argv[2])
        if isolation(home, pathlib.Path(scratch) / "user", case.confine) != case.level:
            return 77
        result = unittest.TextTestRunner(stream=sys.stderr).run(unittest.defaultTestLoader.loadTestsFromTestCase(case))
        return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
