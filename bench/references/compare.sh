#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Are references timed fairly? Benches PyTorch and Triton with pawl beside a script of its own, in turns, on a GPU machine:
#   bench/references/compare.sh [PAWL_FOLDER]      PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default
# Environment: PYTHON (with PyTorch; python3), KERNELS ("torch_default triton"; also torch_flash, torch_cudnn), CACHE (cold
# or warm), BENCHES (20), SECONDS_IN_ALL (240), PROCESSES (1) and SAMPLES (100) of each bench.
# Exit 0: each bench within 1 % of the script, CV below 1.5 %. 1: not. 77: no GPU or no PyTorch here.
set -eu
here=$(dirname "$(realpath "$0")")
home=$(realpath "${1:-$here/../../dist}")
python=$(command -v "${PYTHON:-python3}")
[ -x "$home/bin/pawl" ] || { echo "compare.sh: no program '$home/bin/pawl'" >&2; exit 64; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
references=$home/share/pawl/kernels/references

reference() { echo "  $1: {operator: attention, device: cuda, protocol: [$python, $references/$2]}"; }
{
  echo "version: 1"
  echo "references:"
  reference torch_default torch_sdpa.py
  reference torch_flash "torch_sdpa.py, --backend, flash"
  reference torch_cudnn "torch_sdpa.py, --backend, cudnn"
  reference triton triton_sdpa.py
  echo "cases:"
  echo "  reference: {operator: attention, B: 32, H: 8, S: 512, D: 64, dtype: f16}"
  echo "measure: {warmup: 10, samples: ${SAMPLES:-100}, processes: ${PROCESSES:-1}, cache: ${CACHE:-cold}}"
} >"$folder/pawl.yaml"
git -C "$folder" init -q
git -C "$folder" add pawl.yaml
git -C "$folder" -c user.name=bench -c user.email=bench@localhost commit -qm suite

PYTHONPATH=$here:$references:$home/share/pawl/python${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
status=0
"$python" "$here/compare.py" "$home/bin/pawl" "$folder" || status=$?
exit $status
