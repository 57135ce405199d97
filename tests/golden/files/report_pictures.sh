# SPDX-License-Identifier: Apache-2.0
# A picture and a page, by the ending; the page needs no network.
try pawl report "$DATA/base.json" -o roofline.png
head -c 4 roofline.png | tail -c 3
echo
try pawl report "$DATA/base.json" -o page.html
grep -o '<strong>\|<svg\|"part":"table"' page.html/data/report.js page.html/data/report.svg page.html/data/report-dark.svg
grep -ho 'https\?://[^"]*' page.html/index.html page.html/*.js page.html/data/* | grep -v '^http://www.w3.org/' || echo "no address of the network"
for results in wrong crashed build_failed new_kernel legacy/sweep; do
  try pawl report "$DATA/$results.json" -o page.html
  try pawl report "$DATA/$results.json" -o picture.png
done
echo file >taken.html
try pawl report "$DATA/base.json" -o taken.html
try pawl report "$DATA/base.json" -o nowhere/picture.png
cat taken.html
