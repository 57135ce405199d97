#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pawl_imports.py names the files of a repository that decide what a script does. PYTHONPATH names the folder of the module."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HELPER = pathlib.Path(os.environ["PYTHONPATH"].split(":")[0]).resolve() / "pawl_imports.py"
FILES = {"kernels/k.py": "", "kernels/other.py": "", "kernels/parts/__init__.py": "", "kernels/parts/a.py": "from . import b",
         "kernels/parts/b.py": "", "lib/random.py": "import secretly", "lib/helper.py": "import numpy", "data/table.txt": "1",
         "lib/reads.py": "text = open('data/table.txt')"}
DECIDED = {
    "": [],
    "import numpy as np\nimport triton.language as tl\nx = tl.load(1) + getattr(np, 'float32')(1)": [],
    "import parts.a": ["kernels/parts/__init__.py", "kernels/parts/a.py", "kernels/parts/b.py"],
    "from parts import a": ["kernels/parts/__init__.py", "kernels/parts/a.py", "kernels/parts/b.py"],
    "import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '../lib'))\nimport helper": None,  # lib/random.py
    "import helper": ["lib/helper.py"],
    "import re\nre.compile('a')": [],
    "import torch\ntorch.compile(len)": [],
}
ANYTHING = ["import numpy as np\nnp.load('a')", "from numpy import load", "open('a')", "f = open", "exec('a')", "import importlib",
            "import json", "import os\nos.listdir()", "import os\nos.execv('a', [])", "import numpy as np\ngetattr(np, name)",
            "import numpy as np\nnp.__dict__['load']", "compile('a', 'b', 'c')", "import unknown", "import reads", "a b",
            "import pathlib\npathlib.Path('a').read_text()", "import pathlib\npathlib.Path('a').exists()",
            "import numpy as tl\ntl.load('a')", "import numba.cuda\nnumba.cuda.jit(link=['a.cu'])", "import torch\ntorch.load('a')",
            "import cupy\ncupy.RawModule(path='a.cubin')", "getattr(__builtins__, 'open')", "import operator, os\noperator.attrgetter('open')(os)",
            "import triton\ntriton.compile('a.ttgir')", "import cupy\ncupy.ElementwiseKernel('', '', '', preamble='#include \"a.h\"')",
            "import argparse\nargparse.ArgumentParser(fromfile_prefix_chars='@')", "import torch\ntorch.cuda._compile_kernel('', '')"]


class Imports(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.top = pathlib.Path(self.scratch.name)

    def decide(self, text, files=FILES, script="kernels/k.py", **variables):
        for name, content in {**files, script: text}.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **variables}
        return subprocess.run([sys.executable, HELPER, script, self.top], input="\0".join([*files, script]) + "\0", text=True,
                              capture_output=True, check=True, env=environment, cwd=self.top).stdout.splitlines()

    def test_what_a_script_imports_decides(self):
        for text, files in DECIDED.items():
            with self.subTest(text):
                if files is None:
                    self.assertEqual(self.decide(text), ["* 'lib/random.py' imports 'secretly'"])
                else:
                    self.assertEqual(self.decide(text), sorted(["kernels/k.py", *files]))

    def test_any_file_may_decide(self):
        for text in ANYTHING:
            with self.subTest(text):
                answer, = self.decide(text)
                self.assertTrue(answer.startswith("* "), answer)

    def test_a_module_beside_the_script_hides_one_of_the_system(self):
        files = {"kernels/random.py": "", "kernels/numpy/core.py": "", "other/random.py": ""}
        self.assertIn("kernels/random.py", self.decide("", files))
        self.assertNotIn("other/random.py", self.decide("", files))
        self.assertIn("other/random.py", self.decide("", files, PYTHONPATH=str(self.top / "other")))

    def test_no_line_of_the_repository_runs(self):
        files = {"ast.py": "print('ran')", "kernels/ast.py": "print('ran')", "kernels/os.py": "print('ran')"}
        self.assertNotIn("ran", self.decide("print('ran')", files))


if __name__ == "__main__":
    unittest.main()
