#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hostile change runs its build, its kernels and its worker in Python, which try every way to leave something behind. Prints a
table: the way, and whether each of them left it.

    leftovers.py --build BUILD | --home HOME [--gpu]

--gpu adds a CUDA kernel and a worker that uses PyTorch. Exit 1: something is left; 77: this machine has no full sandbox."""
import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import staged  # noqa: E402

PAYLOAD = pathlib.Path(__file__).with_name("leftovers.c")
# Files, by way. A name that begins with / is of the machine; ~ is the home, . the tree.
FILES = {
    "home": "~/{m} ~/.bashrc ~/.ssh/authorized_keys ~/.netrc",
    "cache": "~/.cache/{m} ~/.cache/ccache/{m} ~/.triton/{m} ~/.local/lib/{m}",
    "cache of CUDA": "~/.nv/ComputeCache/{m} ~/.nv/{m}",
    "temporary file": "/tmp/{m} /var/tmp/{m}",
    "shared memory (POSIX)": "/dev/shm/{m}",
    "cron": "/etc/cron.d/{m} /var/spool/cron/{m} /var/spool/cron/crontabs/{m} ~/.config/systemd/user/{m}",
    "system": "/etc/{m} /run/{m} /opt/{m} /usr/local/bin/{m} /root/{m} /sys/fs/cgroup/{m} /dev/{m}",
    "tree": "./{m} ./pawl.yaml ./kernels/{m} ./.gitattributes",
    "git": "./.git/{m} ./.git/config ./.git/info/{m}",
    "git hook": "./.git/hooks/post-checkout ./.git/hooks/pre-commit",
    "git object": "./.git/objects/{m} ./.git/refs/heads/{m}",
    "worktree": "./.git/worktrees/{m} ./.pawl/worktrees/{m}",
    "object store": "./.pawl/objects/{m} ./.pawl/{m} ./.pawl/files",
    "another build": "./.pawl/build/{m}",
    "baseline": "./perf/baseline.json",
    "results": "./perf/out/{m}",
    "environment": "~/github_env ~/github_path",
}
OTHER = ("process", "program in memory", "abstract socket", "port", "shared memory (SysV)", "message queue (SysV)", "semaphore (SysV)",
         "message queue (POSIX)", "keyring", "results replaced later", "mode of a device", "device or namespace file", "process on the GPU")

KERNEL_PY = """import ctypes, os
import pawl_protocol
if {gpu}:
    import torch
    torch.zeros(1024, device="cuda").sum().item()
ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "leave.so")).leave_now()


class Scale(pawl_protocol.Kernel):
    name, operator = "scale_py", "scale"

    def call(self, tensors, shape):
        tensors["y"].write([2 * x for x in tensors["x"].values()])


pawl_protocol.serve(Scale())
"""
KERNEL_CU = """#include <cuda_runtime.h>
#include "pawl/kernel.h"
__global__ void scale(const float *x, float *y, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
}
extern "C" void leave_now(void);
static const char *supports(const pawl_shape *) { return nullptr; }
static int launch(const pawl_launch *l) {
  leave_now();
  scale<<<256, 256, 0, (cudaStream_t)l->stream>>>((const float *)l->tensors[0].data, (float *)l->tensors[1].data,
                                                 (long long)pawl_tensor_elements(&l->tensors[0]));
  return (int)cudaGetLastError();
}
static const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel), "scale_cuda", "scale", PAWL_CUDA, 0, supports, launch, nullptr, nullptr};
extern "C" const pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
"""


class Machine:
    """A home, a repository in it, and what the machine has of ours."""

    def __init__(self, pawl_home, scratch, gpu):
        self.user, self.tree, self.gpu = scratch / "home", scratch / "tree", gpu
        self.environment = staged.environment(pawl_home, self.user)
        if gpu:
            self.environment["PATH"] = f"{pawl_home}/bin:{os.environ['PATH']}"
        for name in ("github_env", "github_path"):
            (self.user / name).write_text("")
            self.environment[name.upper()] = str(self.user / name)
        for folder in (".ssh", ".cache/ccache", ".triton", ".nv/ComputeCache", ".local/lib", ".config/systemd/user"):
            (self.user / folder).mkdir(parents=True)
        self.pawl("-q", "init", "--example", "minimal", self.tree, folder=scratch)
        for words in (["init", "-q", "."], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "base"]):
            subprocess.run(["git", *words], cwd=self.tree, check=True)
        self.suite = (self.tree / "pawl.yaml").read_text()

    def pawl(self, *words, folder=None):
        return subprocess.run(["pawl", *words], cwd=folder or self.tree, env=self.environment, capture_output=True, text=True,
                              check=False, timeout=300)

    def places(self, way, mark, ours_only):
        for name in FILES[way].format(m=mark).split():
            path = str(self.user) + name[1:] if name[0] == "~" else str(self.tree) + name[1:] if name[0] == "." else name
            if name[0] != "/" or not ours_only:
                yield path

    def write_change(self, mark, number, vehicle, isolate):
        """The change: one kernel that tries all. Without a sandbox it tries no place outside of our folders."""
        files = "\\n".join(path for way in FILES for path in self.places(way, mark, not isolate))
        facts = {"MARK": mark, "FILES": files, "RESULTS": f"{self.tree}/perf/out/verdict.json", "DEVICE": f"{self.user}/{mark}-device"}
        payload = "".join(f'#define LEFT_{name} "{value}"\n' for name, value in facts.items()) + f"#define LEFT_PORT {number}\n" + \
            (PAYLOAD.read_text() if isolate else PAYLOAD.read_text().replace('chmod("/dev/', 'chmod("/absent/'))
        kernels = self.tree / "kernels"
        (kernels / "leave.c").write_text(payload + "void leave_now(void);\nvoid leave_now(void) { leave(); }\n")
        source = subprocess.run(["git", "show", "HEAD:kernels/scale_cpu.c"], cwd=self.tree, check=True, capture_output=True, text=True).stdout
        (kernels / "scale_cpu.c").write_text(source.replace("static int launch(const struct pawl_launch *call) {",
                                                            "void leave_now(void);\n\nstatic int launch(const struct pawl_launch *call) {\n  leave_now();"))
        (kernels / "scale_cuda.cu").write_text(KERNEL_CU)
        (kernels / "scale.py").write_text(KERNEL_PY.format(gpu=self.gpu))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", kernels / "leave.so", kernels / "leave.c"], check=True)
        (self.tree / "build.sh").write_text("cc -DLEFT_MAIN -o /tmp/leave kernels/leave.c && /tmp/leave\n"
                                            'cc -O2 -shared -fPIC -I"$PAWL_INCLUDE_DIR" -o x.so kernels/honest.c\n')
        (kernels / "honest.c").write_text(source)
        how = {"kernel in C": "device: cpu, sources: [kernels/scale_cpu.c, kernels/leave.c]",
               "build command": "device: cpu, build: {command: [sh, build.sh], output: x.so}",
               "worker in Python": f"protocol: [{sys.executable if self.gpu else 'python3'}, kernels/scale.py]",
               "kernel in CUDA": "device: cuda, sources: [kernels/scale_cuda.cu, kernels/leave.c]"}[vehicle]
        text = self.suite.replace("operator: scale, device: cpu, sources: [kernels/scale_cpu.c]", f"operator: scale, {how}")
        text = text[:text.index("measure: {")].replace("n: 1000000", "n: 1000")
        (self.tree / "pawl.yaml").write_text(text + "measure: {warmup: 1, samples: 4, processes: 1, cache: warm" +
                                             ("" if isolate else ", isolation: off") + "}\n")
        for words in (["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "change"]):
            subprocess.run(["git", *words], cwd=self.tree, check=True)

    # --- the remains ---

    def left_files(self, way, mark):
        found = []
        for path in map(pathlib.Path, self.places(way, mark, False)):
            if os.access(path, os.R_OK) and path.is_file() and mark in path.read_text(errors="replace"):
                found.append(str(path))
        return found

    def left(self, mark, number, devices, results):
        out = {way: self.left_files(way, mark) for way in FILES}
        out.update({way: [] for way in OTHER})
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                name, line = (entry / "comm").read_text().strip(), (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if f"{mark}-memfd".encode() in line:
                out["program in memory"].append(entry.name)
            elif name and name == mark[:15]:
                out["process"].append(entry.name)
        out["abstract socket"] = [mark] if f"@{mark}" in pathlib.Path("/proc/net/unix").read_text() else []
        out["port"] = [number] if f":{number:04X} 00000000:0000 0A" in pathlib.Path("/proc/net/tcp").read_text() else []
        for way, name in (("shared memory (SysV)", "shm"), ("message queue (SysV)", "msg"), ("semaphore (SysV)", "sem")):
            rows = [line.split() for line in pathlib.Path(f"/proc/sysvipc/{name}").read_text().splitlines()[1:]]
            out[way] = [row[1] for row in rows if row[0] == str(number)]
        queue = ctypes.CDLL("librt.so.1").mq_open(f"/{mark}".encode(), os.O_RDONLY)
        out["message queue (POSIX)"] = [mark] if queue >= 0 else []
        keys = pathlib.Path("/proc/keys")
        out["keyring"] = [mark] if keys.exists() and mark in keys.read_text() else []
        out["mode of a device"] = [path for path, mode in devices.items() if os.stat(path).st_mode != mode]
        out["device or namespace file"] = [path.name for path in self.user.glob(f"{mark}-device")]
        out["results replaced later"] = [name for name, text in results.items() if pathlib.Path(name).read_bytes() != text]
        if self.gpu:
            said = subprocess.run(["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"], capture_output=True, text=True, check=False)
            out["process on the GPU"] = said.stdout.split()
        return out

    def attack(self, vehicle, number, isolate=True):
        """Lets a vehicle run. Returns the remains, by way."""
        mark = f"left{os.getpid() % 100000}x{number % 1000}"
        devices = {path: os.stat(path).st_mode for path in ("/dev/full", "/dev/nvidiactl", "/dev/nvidia0") if os.path.exists(path)}
        self.write_change(mark, number, vehicle, isolate)
        before = {way for way, found in self.left(mark, number, devices, {}).items() if found} - {"process on the GPU"}
        assert not before or not isolate, before
        done = self.pawl("run", "--against", "none", "--budget", "20s")
        print(f"{vehicle}: the run ended with {done.returncode}: {(done.stdout + done.stderr).strip()[:400]}", flush=True)
        results = {str(path): path.read_bytes() for path in self.tree.glob("perf/out/*") if path.is_file()}
        time.sleep(2.5)
        out = self.left(mark, number, devices, results)
        for path in out["mode of a device"]:
            os.chmod(path, devices[path])
        for pid in out["process"] + out["program in memory"]:
            os.kill(int(pid), 9)
        for way, words in (("shared memory (SysV)", "-m"), ("message queue (SysV)", "-q"), ("semaphore (SysV)", "-s")):
            for name in out[way]:
                subprocess.run(["ipcrm", words, name], check=False)
        if out["message queue (POSIX)"]:
            ctypes.CDLL("librt.so.1").mq_unlink(f"/{mark}".encode())
        return out, done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    staged.add_home(parser)
    parser.add_argument("--gpu", action="store_true")
    options = parser.parse_args()
    vehicles = ["kernel in C", "build command", "worker in Python"] + (["kernel in CUDA"] if options.gpu else [])
    table, codes = {}, {}
    with staged.home(options) as home, tempfile.TemporaryDirectory(prefix="pawl-left-") as scratch:
        for i, vehicle in enumerate(vehicles + ["no sandbox"]):
            folder = pathlib.Path(scratch) / str(i)
            folder.mkdir()
            machine = Machine(home, folder, options.gpu)
            if not i and "isolation          full" not in machine.pawl("doctor", "--quick").stdout:
                print("this machine has no full sandbox")
                return 77
            isolate = vehicle in vehicles
            table[vehicle], codes[vehicle] = machine.attack(vehicle if isolate else "kernel in C", 20000 + os.getpid() % 9000 + i, isolate)
    print(f"\n{'way':28}" + "".join(f"{name:>18}" for name in table))
    for way in [*FILES, *OTHER]:
        print(f"{way:28}" + "".join(f"{'LEFT' if table[name][way] else 'nothing':>18}" for name in table))
    wrong = {name: {way: found for way, found in table[name].items() if found} for name in vehicles}
    wrong = {name: found for name, found in wrong.items() if found}
    control = sum(bool(found) for found in table["no sandbox"].values())
    print(json.dumps({"left": wrong, "ended": codes, "ways without a sandbox": control}))
    return 0 if not wrong and control >= 12 and not any(codes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
