#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The worker on a real GPU: timing methods side by side on kernels whose time is known, and what each misbehaviour
# costs. Builds nothing: takes the folder that collect.sh made. Changes no setting of the GPU. The tables come last.
# usage: run.sh [FOLDER]; exit 0: all as expected, 1: not, 77: no GPU here (with the reason)
set -u
folder=$(cd "${1:-$(dirname "$0")}" && pwd)
processes=${PROCESSES:-8} samples=${SAMPLES:-100}
LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PAWL_WORKER=$folder/pawl-worker
export LD_LIBRARY_PATH PAWL_WORKER
plugin=$folder/scale_cuda.so test=$folder/gpu_test
tables=$(mktemp) lines=$(mktemp)
trap 'rm -f "$tables" "$lines"' EXIT
unexpected=0

"$test" devices || exit $?

# One row: the medians of several processes, their median and their spread, (largest - smallest) / median.
measure() { # behaviour elements cache method
  : >"$lines"
  for _ in $(seq "$processes"); do
    SCALE_CUDA=$1 PAWL_CUDA_TIMING=$4 "$test" time "$plugin" "$2" "$3" "$samples" >>"$lines"
  done
  grep -v '^ok' "$lines"
  grep '^ok' "$lines" | sort -k3,3g | awk -v name="$1" -v n="$2" -v cache="$3" -v wanted="$4" '
    { m[NR] = $3; cv += $5; if ($6 != "right") wrong++; if ($2 != wanted) other = $2 }
    END {
      if (!NR) { printf "%-10s %9d %-5s %-7s no sample\n", name, n, cache, wanted; exit }
      mid = NR % 2 ? m[(NR + 1) / 2] : (m[NR / 2] + m[NR / 2 + 1]) / 2
      printf "%-10s %9d %-5s %-7s %9.3f us  spread %5.2f %%  cv %5.2f %%  %s%s\n", name, n, cache, wanted, mid,
        100 * (m[NR] - m[1]) / mid, cv / NR, wrong ? "WRONG" : "right", other ? ", fell back to " other : ""
    }' >>"$tables"
}

# One row: what a behaviour leads to, run once and timed; `expected` is a pattern of the timed line.
behaviour() { # behaviour method expected-run expected-time
  run=$(SCALE_CUDA=$1 PAWL_CUDA_TIMING=$2 timeout 120 "$test" run "$plugin" 1048576)
  line=$(SCALE_CUDA=$1 PAWL_CUDA_TIMING=$2 timeout 120 "$test" time "$plugin" 1048576 cold 20)
  verdict=expected
  for pair in "$run|$3" "$line|$4"; do
    # shellcheck disable=SC2254
    case ${pair%|*} in ${pair##*|}) ;; *) verdict=UNEXPECTED unexpected=1 ;; esac
  done
  printf '%-17s %-7s %-10s run: %.60s; time: %.100s\n' "$1" "$2" "$verdict" "$run" "$line" >>"$tables"
}

# One row: what becomes of a kernel that keeps results, or of an honest one, in a block. A cheat is wrong, or counts as
# much as the honest kernel of the same case, whose row comes first.
kept() { # behaviour case words: warm, a distribution
  # shellcheck disable=SC2086 # a word each
  line=$(KEPT_CUDA=$1 timeout 120 "$folder/blocks_test" "$folder/kept_operator.so" kept "$2,dtype=f32" "$folder/kept_cuda.so" 1 $3)
  [ "$1" != honest ] || honest=$line
  verdict=$(printf '%s\n%s\n' "$honest" "$line" | awk -v name="$1" '
    { for (i = 1; i < NF; i++) if ($i == "counts") counts[NR] = $(i + 1); else if ($i == "counted") ratio = $(i + 1); wrong = / wrong / }
    END {
      if (name ~ /^(honest|window|autotunes|few|reads)$/) good = !wrong && ratio == 0 && counts[2] > 0
      else good = wrong || counts[2] >= 0.95 * counts[1]
      print good ? "expected" : "UNEXPECTED"
    }')
  [ "$verdict" = expected ] || unexpected=1
  printf '%-10s %-20s %-10s %-10s %.120s\n' "$1" "$2" "${3:-cold}" "$verdict" "$line" >>"$tables"
}

echo "-- methods: median over $processes processes of medians of $samples samples" >>"$tables"
for method in graph block stream; do
  for cache in cold warm; do
    for row in spin_5us:1024 spin_50us:1024 honest:1024 honest:16777216; do
      measure "${row%:*}" "${row#*:}" $cache $method
    done
  done
done

echo "-- behaviours" >>"$tables"
for name in honest two_launches own_streams atomics; do behaviour $name graph 'ok*right' 'ok graph*right'; done
for name in side_stream side_nonblocking eager; do behaviour $name graph 'ok*right' '*wrong'; done
for name in side_stream side_nonblocking; do behaviour $name block 'ok*right' 'ok block*right'; done
behaviour legacy graph 'ok*right' 'ok *right'
behaviour waits graph 'ok*right' 'ok stream*right'
behaviour allocates graph 'ok*right' 'ok *right'
behaviour outside graph 'failed*outside*' 'failed*outside*'
behaviour illegal graph 'failed*illegal*' 'failed*illegal*'
behaviour error graph 'failed*error 7: seven*' 'failed*error 7: seven*'

echo "-- kernels that keep results, and honest ones" >>"$tables"
for name in honest values one checksum samples part mends leaves window autotunes few reads; do kept $name kind=3,n=65536 ''; done
for name in honest one; do kept $name kind=3,n=1 ''; done
for name in honest mends; do kept $name kind=4,n=65536 ''; done
for name in honest values; do kept $name kind=1,n=65536 ''; done
for name in honest values; do kept $name kind=5,n=65536 indices; done
for name in honest values part; do kept $name kind=3,n=65536 warm; done

echo "-- the GPU oracle of attention against the operator's own" >>"$tables"
cases=
for dtype in f16 bf16 f32 e4m3; do
  for head in 1 32 64 80 128 256; do
    for causal in 0 1; do cases="$cases B=2,H=3,S=151,D=$head,causal=$causal,dtype=$dtype"; done
  done
done
# shellcheck disable=SC2086 # a word each
"$folder/oracle_test" "$folder/attention.so" "$folder/oracle_f64.so" attention $cases B=32,H=8,S=512,D=64,dtype=f16 \
  B=1,H=1,S=1,D=1,dtype=f32 B=1,H=2,S=8192,D=128,causal=1,dtype=bf16 >>"$tables" || unexpected=1

"$test" devices >"$lines"
grep -E '"(frequency_mhz|memory_frequency_mhz|temperature_c|power_w|event_reasons|power_capped_s|heat_capped_s)"' "$lines"
cat "$tables"
exit $unexpected
