# SPDX-License-Identifier: Apache-2.0
"""A repository and an environment in which `pawl` finds GPUs that are not there: those of tests/plugins/fake."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import documents  # noqa: E402
import staged  # noqa: E402


class FakeGpuCase(unittest.TestCase):
    """A subclass has write_suite(), which writes self.work / "pawl.yaml"."""
    build = home = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pawl-fake-gpu-", ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.work = self.scratch / "work"
        self.fakes = self.build / "tests/plugins/fake"
        self.environment = staged.environment(self.home, self.scratch / "home")
        self.environment.update(PAWL_CUDA_LIBRARY=str(self.fakes / "fake_cuda.so"),
                                PAWL_NVML_LIBRARY=str(self.fakes / "fake_nvml.so"),
                                PAWL_CUPTI_LIBRARY=str(self.scratch / "absent.so"),
                                FAKE_CUDA_LOG=str(self.scratch / "cuda.log"), FAKE_NVML_LOG=str(self.scratch / "nvml.log"))
        kept = self.scratch / "documents"
        kept.mkdir()
        self.environment[staged.DOCUMENTS] = str(kept)
        self.addCleanup(lambda: self.assertEqual(documents.faults_of_kept(kept), []))
        self.pawl("-q", "init", "--example", "minimal", str(self.work), folder=self.scratch)
        for plugin in self.fakes.glob("scale_*.so"):  # a build sees the repository alone
            shutil.copy(plugin, self.work)
        self.write_suite()

    def pawl(self, *words, folder=None, status=0, **environment):
        """(stdout, stderr) of a command that ends with this exit status; None: with any."""
        done = subprocess.run(["pawl", *words], cwd=folder or self.work, capture_output=True,
                              text=True, timeout=100, stdin=subprocess.DEVNULL, env={**self.environment, **environment})
        if status is not None:
            self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.work, check=True,
                       env=self.environment, capture_output=True)


def main(case):
    """Runs the calling script's tests on the build that its first argument names."""
    case.build = pathlib.Path(sys.argv.pop(1)).resolve()
    with tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage:
        case.home = staged.install(case.build, stage)
        unittest.main(verbosity=1)
