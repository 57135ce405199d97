# SPDX-License-Identifier: Apache-2.0
"""The evaluators of a search that are at work."""

import pathlib


def at_work(folder):
    """The numbers of the processes that evaluate for a search below the folder: not the shells that start them, and not
    their children, which have the same words until they become another program."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes()
        except OSError:
            continue
        if b"--evaluate" in command and str(folder).encode() in command and not command.startswith(b"/bin/sh"):
            found.append(int(entry.parent.name))
    return [pid for pid in found if parent(pid) not in found]


def parent(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0
