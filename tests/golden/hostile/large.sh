# SPDX-License-Identifier: Apache-2.0
# A sparse file of 1 GB is refused at once; 200 000 nested lists do not overflow the stack.
truncate -s 1G large.json
try timeout 2 pawl compare large.json "$DATA/base.json"
try timeout 2 pawl ratchet large.json
head -c 200000 /dev/zero | tr '\0' '[' >nested.json
try timeout 2 pawl compare nested.json "$DATA/base.json"
