# SPDX-License-Identifier: Apache-2.0
# A report as Markdown, on standard output or in a file.
try pawl report "$DATA/base.json"
try pawl report "$DATA/wrong.json" -o report.md
cat report.md
try pawl report "$DATA/legacy/sweep.json"
try pawl report "$DATA/base.json" -o nowhere/report.md
