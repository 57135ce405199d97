# SPDX-License-Identifier: Apache-2.0
# A bad pawl.yaml is exit status 78 with file:line:column.
suite() {
  cat >pawl.yaml
  echo "--- $1"
  quiet pawl list
}
suite 'unknown key' <<'YAML'
version: 1
kernel: {}
YAML
suite 'unknown key of a kernel' <<'YAML'
version: 1
kernels:
  sdpa_cpu: {operator: attention, sauces: [a.c]}
YAML
suite 'wrong type' <<'YAML'
version: 1
kernels: [sdpa_cpu]
YAML
suite 'out of range' <<'YAML'
version: 1
measure: {samples: -3}
YAML
suite 'a text for a number' <<'YAML'
version: 1
measure: {samples: many}
YAML
suite 'newer version' <<'YAML'
version: 2
YAML
suite 'no version' <<'YAML'
kernels: {}
YAML
suite 'detect below tolerate' <<'YAML'
version: 1
gate: {tolerate: 5%, detect: 3%}
YAML
suite 'duplicate key' <<'YAML'
version: 1
cases:
  a: {operator: attention, S: 1}
  a: {operator: attention, S: 2}
YAML
suite 'cycle' <<'YAML'
version: 1
cases: &a
  again: *a
YAML
suite 'not YAML' <<'YAML'
version: 1
  cases: [
YAML
suite 'empty' </dev/null
head -c 3000000 /dev/zero | tr '\0' '#' | suite 'a huge comment'
truncate -s 1G pawl.yaml
echo '--- 1 GB'
quiet timeout 5 pawl list
printf 'version: 1\n\000\001' | suite 'control characters'
