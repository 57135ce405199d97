# SPDX-License-Identifier: Apache-2.0
# report takes what pawl writes, by its contents: a comparison, a check, a baseline, a verdict of any name, other documents.
try pawl -q compare "$DATA/base.json" "$DATA/slower.json" -o changes.json >/dev/null
try pawl report changes.json | sed -n '1,/^$/p; /^| \*\*regression/p'
pawl report changes.json -o changes.html
ls changes.html/data
quiet pawl -q ratchet "$DATA/base.json" --baseline bests.json --update
try pawl report bests.json | sed -n '2p; /^### Measurements/,/^$/p'
repository
pawl -q check -o checks.json >/dev/null
try pawl report checks.json
sed -i 's/2 \* x/3 * x/' kernels/scale_cpu.c
quiet pawl -q check -o wrong.json
try pawl report wrong.json | sed -n 2p
git checkout -q kernels
commit "Have files"
quiet pawl -q run --update-baseline
cp perf/out/verdict.json elsewhere.json
try pawl report elsewhere.json | sed -n '2p'
# the page of a run has the picture of its measurements
pawl -q report perf/out -o page.html
find page.html/data -type f | sed 's/-[0-9][0-9]*/-N/' | sort
pawl power perf/out/results.json --json >power.json
try pawl report power.json | sed -n '/POWER/p; /^- /p'
# a history has several documents, and a page of its own
pawl -q bench --samples 6 >/dev/null
pawl -q history export >history.ndjson
try pawl report history.ndjson
echo '{' >torn.json
try pawl report torn.json
