# SPDX-License-Identifier: Apache-2.0
"""Packages of npm that tests compare pawl with."""

import subprocess


def install(cache, what):
    """Installs what package.json in the folder names. False: it cannot be had here, and the reason is printed."""
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
                              cwd=cache, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        print("skipped: npm took more than 300 s")
        return False
    if done.returncode:
        print(f"skipped: npm could not install {what}:", done.stderr.strip().splitlines()[-1:])
    return done.returncode == 0
