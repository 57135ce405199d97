# SPDX-License-Identifier: Apache-2.0
# What pawl serve, wake and notify say of mistakes, one line each.
config() {
  cat >pawl-wake.yaml
}
good='repositories: [octo/app]
machines: {gpu: {labels: [gpu], start: ["true"], stop: ["false"]}}'
try pawl serve --config pawl-wake.yaml
try pawl serve --webhook --token-file token
try pawl serve --webhook
try pawl wake
printf 'version: 1\n%s\n' "$good" | config
try pawl serve --webhook
PAWL_WEBHOOK_SECRET='' try pawl serve --webhook
export PAWL_WEBHOOK_SECRET=a-secret-of-the-golden-tests
try pawl serve --webhook --listen localhost:80
try pawl serve --webhook --listen 127.0.0.1:70000
try pawl wake start
try pawl wake begin gpu
try pawl wake start gpuu
try pawl wake
try pawl wake start gpu
try pawl --json wake
try pawl wake stop gpu
printf 'version: 1\nsecret: {file: secret}\n%s\n' "$good" | config
try pawl serve --webhook
echo open >secret
chmod 644 secret
try pawl serve --webhook
printf 'version: 1\nmachine: {}\n' | config
try pawl wake
printf 'version: 1\nrepositories: [octo]\n' | config
try pawl wake
try pawl notify
try pawl notify nothing.json
