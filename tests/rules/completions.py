#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each shell reads its completions, offers every command and every option of each command, and completes as it is asked.

Usage: completions.py ROOT PAWL FILE.bash FILE.fish _FILE"""
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT, PAWL, BASH, FISH, ZSH = (pathlib.Path(word).resolve() for word in sys.argv[1:])
sys.path.insert(0, str(ROOT / "scripts"))
import completions  # noqa: E402

# (the line, words that it offers, words that it does not)
LINES = [("pawl r", {"run", "ratchet", "report"}, {"bench"}),
         ("pawl run --re", {"--reduced", "--references"}, {"--reason", "--samples"}),
         ("pawl -C /tmp ci re", {"report"}, {"ratchet", "run"}),
         ("pawl run --references ", {"kept", "fresh", "none"}, {"--case"}),
         ("pawl history --js", {"--json"}, set()),
         ("pawl help tu", {"tune"}, {"status"}),
         ("pawl ci pro", {"propose"}, set())]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode or done.stderr:
        return None, f"{command[0]}: {done.stderr.strip() or done.returncode}"
    return done.stdout, None


def offered_by_bash(line):
    words = line.split(" ")
    script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pawl; printf "%s\\n" "${COMPREPLY[@]}"')
    return run("bash", "-c", script, str(BASH), *words)


def offered_by_fish(line):
    out, fault = run("fish", "--no-config", "-c", f"source {FISH}; complete -C '{line}'")
    return out and "\n".join(row.split("\t")[0] for row in out.splitlines()), fault


def check_shell(name, offered):
    for line, wanted, unwanted in LINES:
        out, fault = offered(line)
        words = set((out or "").split())
        if fault or wanted - words or unwanted & words:
            yield f"{name}: '{line}' offers {sorted(words)}, not {sorted(wanted)} alone; {fault or ''}"


def check_every_option(name, offered):
    general, commands = completions.read(str(PAWL))
    everywhere = {option.name for option in general} - completions.ONLY_BEFORE
    for command in commands:
        words = set((offered(f"pawl {command.name} -")[0] or "").split())
        missing = ({option.name for option in command.options} | everywhere) - words
        if missing:
            yield f"{name}: 'pawl {command.name} -' does not offer {sorted(missing)}"


def wait_for(terminal, text, seconds=60):
    seen, end = "", time.monotonic() + seconds
    while text not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096).decode(errors="replace")
    return seen


def check_zsh():
    """zsh completes only on a terminal."""
    text = ZSH.read_text()
    general, commands = completions.read(str(PAWL))
    for command in commands:
        row = next((line for line in text.splitlines() if line.strip().startswith(f"{command.name}) ")), "")
        for option in command.options:
            if f"{option.name}[" not in row:
                yield f"zsh: {command.name} does not offer {option.name}"
    with tempfile.TemporaryDirectory() as home:
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(HOME=home, TERM="dumb", ZDOTDIR=home)
            os.execvp("zsh", ["zsh", "-f", "-i"])
        os.write(terminal, f"fpath=({ZSH.parent} $fpath); autoload -U compinit; compinit -u -D; print REA''DY\n".encode())
        seen = wait_for(terminal, "READY")
        for line, wanted in [("pawl run --redu", "--reduced"), ("pawl -q ci prop", "propose"), ("pawl run --references fr", "fresh")]:
            os.write(terminal, f"{line}\t".encode())
            seen = wait_for(terminal, wanted)
            if wanted not in seen:
                yield f"zsh: '{line}' does not become '{wanted}': {seen!r}"
            os.write(terminal, b"\x15")  # the line away
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def main():
    faults = [*check_shell("bash", offered_by_bash), *check_shell("fish", offered_by_fish),
              *check_every_option("bash", offered_by_bash), *check_every_option("fish", offered_by_fish), *check_zsh()]
    print("\n".join(faults) or "each shell completes every option")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
