# SPDX-License-Identifier: Apache-2.0
"""How a job gets pawl: templates/forge/install.sh, which the workflows of every host run."""

import hashlib
import io
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from release_page import release_page

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "templates/forge/install.sh"
NAME = "pawl-x86_64.tar.gz"
HOME = None
TOKENS = {"GH_TOKEN": "of-a-job", "GITHUB_TOKEN": "of-another-host"}
GH = """#!/bin/sh
case $* in "attestation verify --help") exit {knows} ;; esac
[ -z "$GH_TOKEN$GITHUB_TOKEN" ] || {{ echo "a token reaches gh"; exit 9; }}
echo "gh $1 $2 $4 $5 $6 $(cat "$7")"
exit {status}
"""


def bundle(program="pawl/bin/pawl", text=b"#!/bin/sh\necho the pawl of the bundle\n"):
    """A release with one program."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        entry = tarfile.TarInfo(program)
        entry.size, entry.mode = len(text), 0o755
        tar.addfile(entry, io.BytesIO(text))
    return out.getvalue()


class Install(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pawl-install-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.good, self.bad = bundle(), bundle("other/bin/pawl")
        self.digest = hashlib.sha256(self.good).hexdigest()
        files = {NAME: self.good, "bad.tar.gz": self.bad, "attestation.json": b"who built it"}
        page = release_page(self.folder, files)
        self.page, self.certificate = page.__enter__()
        self.addCleanup(page.__exit__, None, None, None)

    def tools(self, pawl=False, curl=True, gh=None):
        """A folder with the programs of a machine. gh: its script."""
        place = self.folder / "tools"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for name in ("sh", "cat", "cp", "dirname", "env", "gzip", "mkdir", "rm", "sha256sum", "tar"):
            (place / name).symlink_to(shutil.which(name))
        if curl:
            (place / "curl").symlink_to(shutil.which("curl"))
        for name, text in (("pawl", "#!/bin/sh\n" if pawl else None), ("gh", gh)):
            if text:
                (place / name).write_text(text)
                (place / name).chmod(0o755)
        return place

    def install(self, tools, trusted=True, **given):
        place = self.folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        environment = {"PATH": str(tools), **TOKENS, **given, **({"SSL_CERT_FILE": self.certificate} if trusted else {})}
        done = subprocess.run(["sh", str(SCRIPT), str(place)], env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode:
            self.assertEqual(done.stdout, "")
            self.assertFalse(list(place.rglob("pawl/bin/pawl")), "a bundle is there, although something is wrong")
        self.assertNotIn("a token reaches gh", done.stderr)
        return done

    def expect(self, done, status, words, prefix=""):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        if status:
            last = done.stderr.splitlines()[-1]
            self.assertTrue(last.startswith(prefix) and words in last, done.stderr)
        else:
            self.assertIn(words, done.stderr)

    def test_a_bundle_is_what_the_repository_promises_or_nothing(self):
        tools, url = self.tools(), f"{self.page}/{NAME}"
        for url, digest, status, words in (
                (url, self.digest, 0, ""), (url, "0" * 64, 65, f"has the SHA-256 {self.digest}, but the repository names 0000"),
                (url, "", 64, "no SHA-256"), (url, self.digest[:-1], 64, "no SHA-256"), (url, f"{self.digest}\n", 64, "no SHA-256"),
                (url.replace("https", "http"), self.digest, 64, "must begin with https://"),
                ("file:///etc/passwd", self.digest, 64, "must begin with https://"),
                (f"{self.page}/absent.tar.gz", self.digest, 74, "cannot download"),
                (f"{self.page}/bad.tar.gz", hashlib.sha256(self.bad).hexdigest(), 65, "contains no pawl/bin/pawl")):
            for names in (("PAWL_BUNDLE_URL", "PAWL_BUNDLE_SHA256"), ("PINNED_URL", "PINNED_SHA256")):
                done = self.install(tools, **dict(zip(names, (url, digest))))
                self.expect(done, status, words)
                if status == 0:
                    program = pathlib.Path(done.stdout.strip()) / "pawl"
                    self.assertEqual(subprocess.run([program], capture_output=True, text=True).stdout, "the pawl of the bundle\n")

    def test_the_authority_of_a_private_host(self):
        given = {"PINNED_URL": f"{self.page}/{NAME}", "PINNED_SHA256": self.digest}
        self.expect(self.install(self.tools(), **given), 0, "")
        self.expect(self.install(self.tools(), trusted=False, **given), 74, "cannot download")

    def test_a_variable_goes_before_the_pinned_bundle(self):
        done = self.install(self.tools(gh=GH.format(knows=0, status=1)), PINNED_URL="https://127.0.0.1:1/x.tar.gz", PINNED_SHA256="0" * 64,
                            PINNED_REPOSITORY="o/pawl", PAWL_BUNDLE_URL=f"{self.page}/{NAME}", PAWL_BUNDLE_SHA256=self.digest)
        self.expect(done, 0, "")
        self.assertTrue(done.stdout.endswith("/pawl/bin\n"))

    def test_the_attestation_where_gh_can_verify_it(self):
        given = {"PINNED_URL": f"{self.page}/{NAME}", "PINNED_SHA256": self.digest, "PINNED_REPOSITORY": "o/pawl"}
        asked = "gh attestation verify --repo o/pawl --bundle who built it"
        for gh, more, status, words in (
                (None, {}, 0, "only the checksum"), (GH.format(knows=1, status=0), {}, 0, "only the checksum"),
                (GH.format(knows=0, status=0), {}, 0, asked), (GH.format(knows=0, status=1), {}, 65, "no valid attestation of 'o/pawl'"),
                (GH.format(knows=0, status=0), {"PINNED_SHA256": "0" * 64}, 65, "has the SHA-256"),
                (GH.format(knows=0, status=1), {"PINNED_REPOSITORY": ""}, 0, "")):
            self.expect(self.install(self.tools(gh=gh), **{**given, **more}), status, words)

    def put(self, tools, **scripts):
        """Programs that write their words to the log."""
        for name, script in scripts.items():
            (tools / name.replace("_", "-")).write_text(f'#!/bin/sh\necho "{name} $*" >&2\n{script}\n')
            (tools / name.replace("_", "-")).chmod(0o755)

    def test_an_image_of_a_job_gets_what_builds_need(self):
        given = {"PINNED_URL": f"{self.page}/{NAME}", "PINNED_SHA256": self.digest}
        tools = self.tools()
        self.put(tools, apt_get="")
        self.assertNotIn("apt_get", self.install(tools, **given).stderr, "on a machine of the user")
        self.expect(self.install(tools, CI_JOB_IMAGE="debian:13", **given), 0, "install -y --no-install-recommends git g++\n")
        self.put(tools, apt_get="exit 100")
        self.expect(self.install(tools, CI_JOB_IMAGE="debian:13", **given), 69, "cannot install git g++ in 'debian:13'")
        self.put(tools, apt_get="", git="", c__="")
        (tools / "c--").rename(tools / "c++")
        self.assertNotIn("apt_get", self.install(tools, CI_JOB_IMAGE="debian:13", **given).stderr)

    def test_a_machine_of_github_allows_the_sandbox(self):
        given = {"PINNED_URL": f"{self.page}/{NAME}", "PINNED_SHA256": self.digest}
        asked = "sudo -n sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0"
        for value, status, environment, words in (("1", 0, "github-hosted", asked), ("1", 1, "github-hosted", "with less isolation"),
                                                  ("0", 0, "github-hosted", ""), ("1", 0, "self-hosted", "")):
            tools = self.tools()
            self.put(tools, sysctl=f"echo {value}", sudo=f"exit {status}")
            done = self.install(tools, RUNNER_ENVIRONMENT=environment, **given)
            self.expect(done, 0, words)
            self.assertEqual("sudo" in done.stderr, bool(words), done.stderr)

    def test_without_a_bundle_the_machine_needs_pawl(self):
        tools = self.tools(pawl=True)
        done = self.install(tools)
        self.assertEqual((done.returncode, done.stdout), (0, f"{tools}\n"))
        self.expect(self.install(self.tools()), 69, "set the variables PAWL_BUNDLE_URL and PAWL_BUNDLE_SHA256")
        done = self.install(self.tools(), GITHUB_ACTIONS="true")
        self.expect(done, 69, "no pawl on this machine", prefix="::error::")
        self.expect(self.install(self.tools(curl=False), PINNED_URL=f"{self.page}/{NAME}", PINNED_SHA256=self.digest), 69, "install curl")
