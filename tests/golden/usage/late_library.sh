# SPDX-License-Identifier: Apache-2.0
# A command opens a large library only if it needs it. Without the library it names the package, in one line.
without() { # without LIBRARY COMMAND...; the loader's own words differ between machines
  library=$1
  shift
  printf '$ %s # without %s\n' "$*" "$library"
  mkdir broken
  echo "no library" >"broken/$library"
  status=0
  LD_LIBRARY_PATH=$PWD/broken "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  rm -r broken
  sed 's/: no library: .*; install/: LOADER; install/; s/^/! /' "$SCRATCH/err"
  echo "(exit status $status)"
}
repository
cp "$DATA/base.json" .
for library in libcrypto.so.3 libcurl.so.4 libpq.so.5 libmicrohttpd.so.12 libsqlite3.so.0 libcairo.so.2; do
  without "$library" pawl -q help
done
without libcairo.so.2 pawl report base.json -o picture.png
ls picture.png 2>/dev/null || echo "no picture"
without libsqlite3.so.0 pawl history
without libmicrohttpd.so.12 pawl serve --listen 127.0.0.1:0
without libcrypto.so.3 pawl -q check scale_cpu
echo 'store: postgresql://127.0.0.1/none' >>pawl.yaml
without libpq.so.5 pawl history
echo 'notify: {webhooks: {team: {service: slack, url: {env: TEAM_URL}}}}' >>pawl.yaml
export TEAM_URL=http://127.0.0.1:9/
without libcurl.so.4 pawl notify base.json --always
