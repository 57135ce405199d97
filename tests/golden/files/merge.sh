# SPDX-License-Identifier: Apache-2.0
# Shards of one commit on one kind of hardware join; nothing else does.
try pawl merge "$DATA/shard_1.json" "$DATA/shard_2.json" -o merged.json
try pawl merge "$DATA/base.json" -o whole.json
cmp merged.json whole.json && echo "as measured at once"
try pawl compare "$DATA/base.json" merged.json
try pawl merge "$DATA/shard_1.json" "$DATA/shard_1.json" -o twice.json
try pawl merge "$DATA/shard_1.json" "$DATA/shard_2_other_commit.json" -o commits.json
try pawl merge "$DATA/shard_1.json" "$DATA/shard_2_other_hardware.json" -o hardware.json
try pawl merge "$DATA/shard_1.json" nothing.json -o nothing_to.json
ls
