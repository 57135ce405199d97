# SPDX-License-Identifier: Apache-2.0
# Names that no operator or shape has, and values that it refuses: 78 with the place and the nearest, whatever the command.
# list takes no value that check refuses; where it cannot ask the operator, it says so.
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
for command in list check bench; do quiet pawl $command; done
commit "A negative size" # run takes the cases of the commit
pawl run 2>&1 | sed 's/ at [0-9a-f]*:/ at COMMIT:/'
git reset -q --hard HEAD~1
sed -i 's/tiny: {operator: scale/tiny: {operator: sofmax/' pawl.yaml
quiet pawl list
git checkout -q pawl.yaml
sed -i 's/^  scale: {n:/  scael: {n:/' pawl.yaml
for command in list build check; do quiet pawl $command; done
git checkout -q pawl.yaml
sed -i '/^check:/,/^measure:/ s/{n:/{width: [1, 2], n:/' pawl.yaml
for command in list check; do quiet pawl $command; done
git checkout -q pawl.yaml
sed -i '/^check:/,/^measure:/ s/{n: \[1,/{n: [-1,/' pawl.yaml
for command in list check; do quiet pawl $command; done
git checkout -q pawl.yaml
mv operators/scale.c operators/away.c
try pawl list
mv operators/away.c operators/scale.c
sed -i 's|kernels/scale_cpu.c|kernels/scale_cpp.c|' pawl.yaml
try pawl build
