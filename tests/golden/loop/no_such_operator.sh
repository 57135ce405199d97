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
