# SPDX-License-Identifier: Apache-2.0
# Figures of two machines: compared, for that is what was asked, and said.
try pawl compare "$DATA/base.json" "$DATA/other_hardware.json"
