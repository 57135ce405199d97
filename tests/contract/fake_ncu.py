# SPDX-License-Identifier: Apache-2.0
"""A program in the place of Nsight Compute, which runs the worker and plays recorded profiles."""
import pathlib

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "data" / "ncu"
NCU = """#!/bin/sh
[ "$1" != --version ] || {{ echo "Version 2025.3.1.0"; exit 0; }}
if [ "$1" = --import ]; then
  [ "$LC_ALL" = C ] || exit 9
  [ "$*" = "--import $2 --csv --page raw" ] || exit 9
  {read}
  exit
fi
{refuse}
printf '%s ' "$@" >>"{scratch}/ncu.words"
page=
while [ "${{1#--}}" != "$1" ]; do
  case $1 in
    --export) report=$2.ncu-rep; shift 2 ;;
    --log-file) log=$2; shift 2 ;;
    --page) page=$2; shift 2 ;;
    --csv | --force-overwrite) shift ;;
    *) shift 2 ;;
  esac
done
{log}
"$@"
status=$?
[ "$page" != raw ] || {{ echo "==PROF== Disconnected from process 1" >>"$log"; cat "{samples}" >>"$log"; exit $status; }}
{write}
exit $status
"""
REAL = {"samples": RECORDED / "transpose_samples.csv", "read": f'cat "{RECORDED}/saxpy_raw.csv"', "refuse": ":", "log": ":", "write": 'echo recorded >"$report"'}


def install(scratch, **parts):
    """Writes the program of these parts; returns the PATH entry that has it first."""
    tools = scratch / "tools"
    tools.mkdir(exist_ok=True)
    ncu = tools / "ncu"
    ncu.write_text(NCU.format(scratch=scratch, **{**REAL, **parts}))
    ncu.chmod(0o755)
    return tools
