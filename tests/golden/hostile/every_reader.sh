# SPDX-License-Identifier: Apache-2.0
# Every command that reads a file, with every kind of file that it cannot use: one line on standard error, nothing on
# standard output, the right exit status, at once. Shown are how often each status came, and whatever is otherwise.
mkdir bad
printf '{"a":' >bad/truncated
: >bad/empty
echo '[]' >bad/list
echo 'null' >bad/null
echo '3' >bad/number
printf '\377\376{}' >bad/utf16
head -c 200000 /dev/zero | tr '\0' '[' >bad/nested
sed 's/"median_ms": *[0-9.]*/"median_ms": -3/' "$DATA/base.json" >bad/negative
sed 's/"median_ms": *[0-9.]*/"median_ms": NaN/' "$DATA/base.json" >bad/nan
sed 's/"median_ms": *[0-9.]*/"median_ms": 1e999/' "$DATA/base.json" >bad/huge_number
truncate -s 1G bad/large
mkdir bad/folder
mkfifo bad/pipe
ln -s /dev/zero bad/endless
ln -s circle bad/circle
ln -s nowhere bad/dangling
ask() {
  status=0
  timeout 5 "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null || status=$?
  echo "$status" >>statuses
  case $status in
    65 | 66 | 74 | 78) ;;
    *) echo "$*: status $status" ;;
  esac
  [ ! -s "$SCRATCH/out" ] || echo "$*: prints"
  [ "$(grep -c . "$SCRATCH/err")" -eq 1 ] || echo "$*: $(grep -c . "$SCRATCH/err") lines of errors"
}
# with WORD... : the command, in which FILE stands for each bad file
with() {
  : >statuses
  for file in bad/* bad/absent; do
    for word in "$@"; do
      shift
      if [ "$word" = FILE ]; then set -- "$@" "$file"; else set -- "$@" "$word"; fi
    done
    ask "$@"
    for word in "$@"; do
      shift
      if [ "$word" = "$file" ]; then set -- "$@" FILE; else set -- "$@" "$word"; fi
    done
  done
  echo "$*: $(sort statuses | uniq -c | awk '{ printf "%s%s times %s", sep, $1, $2; sep = ", " }')"
}
with pawl compare "$DATA/base.json" FILE
with pawl compare FILE "$DATA/base.json"
with pawl verify FILE
with pawl report FILE
with pawl ratchet FILE
with pawl ratchet "$DATA/base.json" --baseline FILE
with pawl power FILE
with pawl notify FILE --dry-run
with pawl merge "$DATA/shard_1.json" FILE -o merged.json
with pawl baseline accept sdpa_cpu --case training_512 --reason none --results FILE
with pawl tune --replay FILE
with pawl wake --config FILE
with pawl serve --webhook --config FILE
with pawl -f FILE list
with pawl -f FILE run
ls
