# SPDX-License-Identifier: Apache-2.0
# Names that no operator or shape has: 78, with the nearest.
repository
sed -i 's/scale_cpu: {operator: scale,/scale_cpu: {operator: scael,/' pawl.yaml
try pawl check
try pawl list
try pawl build
git checkout -q pawl.yaml
sed -i 's/tiny: {operator: scale, n: 1000/tiny: {operator: scale, m: 1000/' pawl.yaml
quiet pawl bench
git checkout -q pawl.yaml
printf '%s\n' '  wide: {operator: scale,' '         size: 1000, dtype: f32}' > extra
sed -i '/^cases:/r extra' pawl.yaml
quiet pawl bench --case wide
git checkout -q pawl.yaml
sed -i 's/tiny: {operator: scale, n: 1000/tiny: {operator: scale, n: -4/' pawl.yaml
quiet pawl check
git checkout -q pawl.yaml
sed -i '/^check:/,/^measure:/ s/{n:/{width: [1, 2], n:/' pawl.yaml
quiet pawl check
git checkout -q pawl.yaml
sed -i 's|kernels/scale_cpu.c|kernels/scale_cpp.c|' pawl.yaml
try pawl build
