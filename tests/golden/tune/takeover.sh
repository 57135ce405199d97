# SPDX-License-Identifier: Apache-2.0
# What another job's tuning left is data: only what the suite itself lists is taken, and the text is written anew.
# By hand: there/tune.json
repository
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], params: {M: 1, T: float}, tune: {M: [1, 2, 3], T: [float, double], constraints: [\"M < 3 or T == 'float'\"]}}|" pawl.yaml
mkdir there
tune() { # PARAMS SPEEDUP [KERNEL [CASE]]
  printf '{"kernel_name": "%s", "case": "%s", "hardware_name": "a | b @everyone", "recommended": true, "best": {"params": %s, "speedup": %s, "speedup_low": 1.1, "speedup_high": 1.3}}' \
    "${3:-scale_cpu}" "${4:-tiny}" "$1" "$2" >there/tune.json
}
tune '{"M": "2", "T": "double"}' 1.2
try pawl tune --from there --apply
grep -o "params: {[^}]*}" pawl.yaml
tune '{"M": "4", "T": "double"}' 1.2
try pawl tune --from there --apply
tune '{"M": "3", "T": "double"}' 1.2
try pawl tune --from there --apply
tune '{"M": "2; rm -rf /", "T": "float"}' 1.2
try pawl tune --from there --apply
tune '{"M": "2"}' 1.2
try pawl tune --from there --apply
tune '{"M": "3", "T": "float"}' 1.05
try pawl tune --from there --apply
tune '{"M": "3", "T": "float"}' 1e300
try pawl tune --from there --apply
tune '{"M": "3", "T": "float"}' 1.2 scale_cpus
try pawl tune --from there --apply
echo '{"kernel_name": "scale_cpu", "case": "tiny", "recommended": false}' >there/tune.json
try pawl tune --from there --apply
try pawl tune --from nowhere
try pawl tune scale_cpu --from there
grep -o "params: {[^}]*}" pawl.yaml
echo "-- of several cases"
sed -i "s|^  tiny: .*|&\n  huge: {operator: scale, n: 9000, dtype: f32}|" pawl.yaml
tune '{"M": "3", "T": "float"}' 1.2 scale_cpu "tiny,huge"
sed -i 's/"case"/"cases": ["tiny", "huge"], "case"/' there/tune.json
pawl tune --from there | head -1
sed -i 's/"huge"\]/"vast"]/' there/tune.json
try pawl tune --from there --apply
sed -i 's/\["tiny", "vast"\]/[]/' there/tune.json
try pawl tune --from there --apply
echo "-- of a newer pawl"
tune '{"M": "3", "T": "float"}' 1.2
sed -i 's/{"kernel_name"/{"schema_version": 2, "kernel_name"/' there/tune.json
try pawl tune --from there --apply
echo "-- values that need quotes"
sed -i 's/params: {[^}]*}/params: {M: 1, T: float}/; s/T: \[float, double\]/T: [float, unsigned short]/' pawl.yaml
tune '{"M": "3", "T": "unsigned short"}' 1.2
sed -i "s/, constraints: [^]]*\]//" pawl.yaml
try pawl tune --from there --apply
grep -o "params: {[^}]*}" pawl.yaml
echo "-- the code has other parameters than the search began with"
sed -i 's/"recommended": true/"recommended": true, "current": "M=2,T=float"/' there/tune.json
try pawl tune --from there --apply
sed -i 's/params: {[^}]*}/params: {M: 1, T: float}/' pawl.yaml
try pawl tune --from there --apply
grep -o "params: {[^}]*}" pawl.yaml
echo "-- the code is another one, as far as the file says what it was"
sed -i 's/"current"/"code": {"kernels\/scale_cpu.c": "0123", "flags": 7, "gone.c": "0123"}, "current"/' there/tune.json
try pawl tune --from there
sed -i 's/"code": {[^}]*}/"code": ["flags"]/' there/tune.json
try pawl tune --from there
