# SPDX-License-Identifier: Apache-2.0
# CC and CXX choose the compiler that the suite does not name, as with make; the results say which one compiled.
repository
mkdir bin
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\n[ "$1" != --version ] || { echo "mine 1.0"; exit; }\nexec cc "$@"\n' >bin/mine
chmod +x bin/mine
git add -A && git commit -q -m "Have a compiler"
CC=$PWD/bin/mine quiet pawl -q run --against none
field perf/out/results.json results.0.environment.toolchain
try env CC=no-such-compiler pawl -q build
# The compiler may be in an installation of its own.
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
mkdir "$outside/bin"
sed 's/mine 1/other 1/' bin/mine >"$outside/bin/gcc"
chmod +x "$outside/bin/gcc"
CC=$outside/bin/gcc quiet pawl -q run --against none
field perf/out/results.json results.0.environment.toolchain
sed -i 's|sources: \[kernels/scale_cpu.c\]|&, compiler: cc|' pawl.yaml
CC=no-such-compiler quiet pawl -q build scale_cpu
