# SPDX-License-Identifier: Apache-2.0
# verify: every number of a sweep's folder follows from its samples, and a changed one does not; who signed it.
# shellcheck source=/dev/null
. "$GOLDEN/sweep/verify.inc"
fresh
ls swept
try pawl verify swept
cat swept/claims.csv
cat swept/claims.tex

echo "== one sample"
edit samples.ndjson.gz '"samples_ms":\[' '"samples_ms":[9'
try pawl -q verify swept
echo "== with checksums that fit"
again
try pawl -q verify swept

echo "== one byte of each file"
fresh
python3 - <<'PYTHON'
import pathlib, subprocess
unseen = []
for path in sorted(pathlib.Path("swept").iterdir()):
    kept = path.read_bytes()
    for place in (0, len(kept) - 1) if path.name == "SHA256SUMS" else [len(kept) // 2]:
        path.write_bytes(kept[:place] + bytes([kept[place] ^ 1]) + kept[place + 1:])
        if subprocess.run(["pawl", "-q", "verify", "swept"], capture_output=True).returncode not in (1, 65):
            unseen.append(f"byte {place} of {path.name}")
    path.write_bytes(kept)
print("not found:", ", ".join(unseen) or "none")
PYTHON

echo "== one claim"
fresh
edit claims.json '"speedup": 3[.0-9]*,' '"speedup": 4.25,'
again
try pawl -q verify swept

echo "== one word"
fresh
edit README.md "faster on 3" "faster on 4"
again
try pawl -q verify swept

echo "== files that are not there"
fresh
rm swept/claims.json
try pawl -q verify swept
rm swept/SHA256SUMS
try pawl -q verify swept
rm swept/sweep.json
try pawl -q verify swept
try pawl -q verify nowhere

echo "== a signature"
fresh
ssh-keygen -q -t ed25519 -N '' -C someone -f mine
ssh-keygen -q -t ed25519 -N '' -C another -f other
quiet pawl -q sweep --rewrite -o swept --sign mine
pawl verify swept | sed -n 's/SHA256:.*; /FINGERPRINT; /; s/^signature/signature/p'
pawl verify swept --signer mine.pub | sed -n 's/SHA256:.*/FINGERPRINT/; s/^signature/signature/p'
try pawl -q sweep --rewrite -o swept --sign nobody 2>&1 | sed "s/nobody': .*/nobody': .../"
pawl -q verify swept --signer mine.pub | sed -n 's/SHA256:.*/FINGERPRINT/; s/^signature/signature/p'
try pawl verify swept --signer other.pub | grep -v holds | sed 's/not good: .*/not good: .../'
try pawl -q verify swept --signer README
try pawl -q verify swept --signer swept/README.md
if command -v minisign >/dev/null; then
  minisign -G -W -p mini.pub -s mini.key >/dev/null
  minisign -G -W -p other.minipub -s other.minikey >/dev/null
  pawl -q sweep --rewrite -o swept --sign mini.key >/dev/null
  (cd swept && echo SHA256SUMS.*)
  pawl -q verify swept | sed -n 's/^signature/signature/p'
  pawl -q verify swept --signer mini.pub | sed -n 's/^signature/signature/p'
  pawl -q verify swept --signer other.minipub | sed -n 's/not good: .*/not good: .../; s/^fault/fault/p'
  pawl -q verify swept --signer mine.pub | sed -n 's/^fault/fault/p'
  minisign -S -s mini.key -m swept/SHA256SUMS -t another >/dev/null
  pawl -q verify swept --signer mini.pub | sed -n 's/^fault/fault/p'
else
  cat <<'SAME'
SHA256SUMS.minisig
signature: that of minisign is not checked: name its public key with --signer
signature: Good minisign signature by the key in 'mini.pub'
fault: the signature is not good: ...
fault: 'minisign' signed the folder, and 'mine.pub' is a key of 'ssh-keygen': name the key of 'minisign'
fault: the signature is not good: 'mini.pub' signed it for another purpose
SAME
fi
echo 'a licence' >swept/LICENCE
quiet pawl -q sweep --rewrite -o swept
try pawl -q verify swept --signer mine.pub | grep -v holds
