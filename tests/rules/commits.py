#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The subject of every commit since the rule began is `room: what changes`, in at most 72 characters. The test skips
itself, with the reason, where git does not have the whole history: a shallow clone, an archive."""
import re
import subprocess
import sys

BEGIN = "1110a3ac7e73bf11b9bcdefcd345a3f04d419307"  # the last commit before the rule
LONGEST = 72
PUBLISHED_TOO_LONG = {"bd6ec032", "18cc9f9a"}  # on the main branch before anybody looked; nobody rewrites that branch
SUBJECT = re.compile(r"[a-z][a-z0-9_/-]*(?:,? [a-z0-9_/-]+)*(?: \.\.\.)?: \S.*[^.\s]")
SKIP = 77


def git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True)
    return None if done.returncode else done.stdout


def faults_of(commit, subject):
    if len(subject) > LONGEST and commit[:8] not in PUBLISHED_TOO_LONG:
        yield f"{commit} '{subject}': {len(subject)} characters, more than {LONGEST}"
    if not SUBJECT.fullmatch(subject):
        yield f"{commit} '{subject}': write 'room: what changes', without a full stop"


def main():
    root = sys.argv[1]
    if git(root, "rev-parse", "--git-dir") is None:
        print("skipped: this is not a git repository")
        return SKIP
    if git(root, "rev-parse", "--is-shallow-repository").strip() != "false":
        print("skipped: a shallow clone does not have the commits; run git fetch --unshallow")
        return SKIP
    if git(root, "merge-base", "--is-ancestor", BEGIN, "HEAD") is None:
        print(f"skipped: this history does not contain {BEGIN}, where the rule begins")
        return SKIP
    log = git(root, "log", "--no-merges", "--format=%h %s", f"{BEGIN}..HEAD")
    commits = [line.split(" ", 1) for line in log.splitlines()]
    faults = [fault for commit in commits for fault in faults_of(*commit)]
    print("\n".join(faults) or f"{len(commits)} commits say what changes")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
