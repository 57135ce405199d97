#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How pawl_torch.py captures and times calls, and how pawl.py calls a decorated function on a GPU, on a stand-in of PyTorch.
PYTHONPATH names the folder of both."""

import contextlib
import functools
import gc
import json
import mmap
import struct
import sys
import types
import unittest
import unittest.mock

import pawl
import pawl_protocol
import pawl_torch
import pawl_triton
from python_protocol import Connection

HOST_NS, REPLAY_NS, IDLE_NS, LATE_NS = 5_000, 20_000, 7_000, 3_000_000


class FakeCuda:
    """torch.cuda with clocks of its own: a call takes 1000 ns, a cycle of _sleep half a nanosecond. The device begins work
    when the host has enqueued it; a graph that finds it idle stops for 7 us behind its first node. `late` says how long a
    replay takes the host beyond its 20 us."""

    def __init__(self, late=lambda replay: 0):
        self.host_ns, self.device_ns, self.captured, self.replays, self.late = 0, 0, None, 0, late

    def do(self, work):
        if self.captured is not None:
            self.captured.append(work)
            return
        self.host_ns += HOST_NS
        self.device_ns = max(self.device_ns, self.host_ns)
        work()

    def pass_time(self, ns):
        def work():
            self.device_ns += ns
        self.do(work)

    def _sleep(self, cycles):
        self.pass_time(cycles / 2)

    def Event(self, **_):
        event = types.SimpleNamespace(at=0)
        event.record = lambda: self.do(lambda: setattr(event, "at", self.device_ns))
        event.elapsed_time = lambda end: (end.at - event.at) * 1e-6
        event.query = lambda: event.at <= self.host_ns
        return event

    def replay(self, works):
        self.replays += 1
        self.host_ns += REPLAY_NS + self.late(self.replays)
        idle = self.device_ns < self.host_ns
        self.device_ns = max(self.device_ns, self.host_ns)
        for number, work in enumerate(works):
            work()
            if number == 0 and idle:
                self.device_ns += IDLE_NS

    def CUDAGraph(self, **_):
        graph = types.SimpleNamespace(works=[], instantiate=lambda: None)
        graph.replay = lambda: self.replay(graph.works)
        return graph

    @contextlib.contextmanager
    def graph(self, graph):
        self.captured = graph.works
        try:
            yield
        except RuntimeError:
            raise RuntimeError("operation failed due to a previous error during capture")
        finally:
            self.captured = None

    def Stream(self):
        return types.SimpleNamespace(wait_stream=lambda _: None)

    def stream(self, _):
        return contextlib.nullcontext()

    def current_stream(self):
        pass

    def synchronize(self):
        self.host_ns = max(self.host_ns, self.device_ns)


class FakeTensor:
    """A tensor whose contents do not matter."""

    def to(self, *_):
        return self

    contiguous = to


OUTPUT = {"y": types.SimpleNamespace(name="y", role="out", dtype="f32", size=(4,))}


class FakeKernel(pawl_torch.TorchKernel):
    """A call of 1000 ns on such a device."""

    name, operator = "fake", "fake"

    def __init__(self, cuda):
        self.torch = types.SimpleNamespace(cuda=cuda, Tensor=types.SimpleNamespace)
        self.dtypes, self.captures, self.delay_cycles, self.cycles_per_ns = {"f32": "float32"}, {}, 0, None
        self.cover = pawl_torch._Cover(cuda)

    def compute(self, tensors, shape):
        self.torch.cuda.pass_time(1000)
        return types.SimpleNamespace(fill_=lambda value: None)

    def poison(self, tensors):
        pass

    load = store = flush = check_graph = lambda self, _: None

    def replaced(self):
        pass

    def digest(self, tensors):
        return "0"


# pawl_sum_hash_add of src/base/sum_hash.h, by the length of the piece; its bytes are 200, 207, 214 ... mod 256
SUM_HASHES = {96: "7f13c03b06d69e578ac451dc1e55d202", 99: "60eb502cd72d384f59e7a845998a8429"}

SUM_HASH_OF_BOTH = "056b12256c938c86bb2d117379896f01"  # the bytes are two pieces, of 96 and 99 bytes


class Words(list):
    """An array of int64, whose arithmetic wraps."""

    device = None

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return Words(found) if isinstance(index, slice) else found

    def each(self, function, other):
        others = other if isinstance(other, list) else [other] * len(self)
        return Words(pawl_torch._signed(function(a, b)) for a, b in zip(self, others))

    def __add__(self, other):
        return self.each(lambda a, b: a + b, other)

    def __mul__(self, other):
        return self.each(lambda a, b: a * b, other)

    def __xor__(self, other):
        return self.each(lambda a, b: a ^ b, other)

    def __and__(self, other):
        return self.each(lambda a, b: a & b, other)

    def __rshift__(self, other):
        return self.each(lambda a, b: a >> b, other)

    def sum(self):
        return pawl_torch._signed(sum(self))


class Bytes(list):
    """A tensor of bytes, as far as the hash uses it."""

    def numel(self):
        return len(self)

    def view(self, _):
        return Words(struct.unpack("<%dq" % (len(self) // 8), bytes(self)))


class Torch(unittest.TestCase):
    def test_an_output_that_is_no_tensor_is_refused(self):
        """It could compute when it is read, outside the timed region."""
        kernel = FakeKernel(FakeCuda())
        kernel.compute = lambda tensors, shape: type("Lazy", (types.SimpleNamespace,), {})()
        with self.assertRaisesRegex(TypeError, "compute returned a Lazy, not a torch.Tensor"):
            pawl_torch._Capture(kernel, {}, {})

    def capture(self, takes, returned, roles):
        """A capture of a kernel that takes these outputs and returns `returned`, and the names that its calls saw."""
        kernel, seen = FakeKernel(FakeCuda()), set()
        kernel.torch.empty = lambda size, dtype, device: FakeTensor()
        kernel.torch.Tensor = FakeTensor
        kernel.takes_output = takes.__contains__
        kernel.compute = lambda tensors, shape: seen.update(tensors) or returned
        tensors = {name: types.SimpleNamespace(name=name, role=role, dtype="f32", size=(4,)) for name, role in roles.items()}
        with unittest.mock.patch.object(pawl_torch._Capture, "load"):
            return pawl_torch._Capture(kernel, tensors, {}), seen

    def test_outputs_that_are_taken_and_returned(self):
        roles = {"x": "in", "state": "inout", "y": "out", "mean": "out"}
        mean = FakeTensor()
        for returned in (mean, {"mean": mean}):
            capture, seen = self.capture({"y"}, returned, roles)
            self.assertEqual(seen, {"x", "state", "y"})
            self.assertEqual(list(capture.results()), ["state", "y", "mean"])  # the order of the hash
            self.assertIs(capture.results()["mean"], mean)
            self.assertIs(capture.results()["y"], capture.given["y"])
            self.assertIs(capture.results()["state"], capture.inputs["state"])
            self.assertEqual(capture.outputs(), [capture.given["y"], mean])  # no poison in an inout
            self.assertEqual([name for name, _ in capture.only_read()], ["x"])
        self.assertEqual(self.capture({"y", "mean"}, None, roles)[0].outputs().count(mean), 0)

    def test_an_output_that_is_missing_is_refused(self):
        for returned in (None, {"y": FakeTensor()}, {}):
            with self.assertRaisesRegex(TypeError, "not a torch.Tensor|compute must return 'y', 'mean'"):
                self.capture((), returned, {"x": "in", "y": "out", "mean": "out"})
        with self.assertRaisesRegex(TypeError, "compute must return nothing"):
            self.capture({"y"}, {"y": FakeTensor()}, {"x": "in", "y": "out"})

    def own_torch(self):
        """A PyTorch whose functions are of its own files, or built in."""
        torch = types.SimpleNamespace(__file__="/opt/torch/__init__.py")
        for path, names in pawl_torch.TRUSTED.items():
            owner = torch
            for part in path.split(".") if path else ():
                owner.__dict__.setdefault(part, types.SimpleNamespace())
                owner = getattr(owner, part)
            for name in names:
                known = {}
                exec(compile("def f(): pass", "/opt/torch/%s.py" % (path or "x"), "exec"), known)
                setattr(owner, name, len if path == "Tensor" else known["f"])
        return torch

    def test_a_script_must_not_replace_functions_of_the_timing(self):
        self.assertIsNone(pawl_torch.replaced_in(self.own_torch()))
        for path, names in pawl_torch.TRUSTED.items():
            for name in names:
                for cheat in (lambda *_: 0.5, object(), functools.partial(len)):
                    torch = owner = self.own_torch()
                    for part in path.split(".") if path else ():
                        owner = getattr(owner, part)
                    setattr(owner, name, cheat)
                    self.assertEqual(pawl_torch.replaced_in(torch), ".".join(filter(None, ("torch", path, name))))
        for owner, name in ((pawl_torch._Capture, "replay"), (pawl_torch._Cover, "check"), (pawl_torch.TorchKernel, "flush")):
            with unittest.mock.patch.object(owner, name, lambda *_: 1):
                self.assertEqual(pawl_torch.replaced_in(self.own_torch()), "%s.%s" % (owner.__name__, name))

    def test_a_kernel_must_not_time_itself(self):
        class Event:
            def elapsed_time(self, end):
                return 1

        class Kernel(pawl_torch.TorchKernel):
            def __init__(self, torch):
                self.torch, self.cover = torch, Event()
                self.captures = {1: types.SimpleNamespace(start=Event(), end=Event(), graph=Event())}

        kernel = Kernel(self.own_torch())
        self.assertIsNone(kernel.replaced())
        kernel.captures[1].start.elapsed_time = lambda end: 0.5
        self.assertEqual(kernel.replaced(), "Event.elapsed_time")
        kernel = Kernel(self.own_torch())
        kernel.timed_calls = lambda *_: 1
        self.assertEqual(kernel.replaced(), "Kernel.timed_calls")
        cheat = type("Cheat", (Kernel,), {"flush": lambda self, count: None})
        self.assertEqual(cheat(self.own_torch()).replaced(), "Cheat.flush")

    def test_a_replaced_function_fails_the_request(self):
        kernel = FakeKernel(FakeCuda())
        methods = pawl_protocol._KernelMethods(kernel, Connection())
        methods.sets = [dict(OUTPUT)]
        kernel.captures = {id(one): pawl_torch._Capture(kernel, one, {}) for one in methods.sets}
        kernel.replaced = lambda: "torch.cuda.Event.elapsed_time"
        with self.assertRaisesRegex(RuntimeError, "'torch.cuda.Event.elapsed_time' is not the function that the timing needs"):
            methods.time({"warmup": 1, "samples": 2, "cache": "cold", "flush_bytes": 64})

    def test_an_event_that_the_call_records_is_found(self):
        """It may be that of the timing, recorded again behind the work."""
        class Driver:
            graphs = {1: [(0, 11), (7, 12), (4, 13), (7, 14)], 2: [(7, 15)], 3: [(7, 12), (0, 11), (7, 14)]}

            def cuGraphGetNodes(self, graph, nodes, count):
                known = self.graphs[graph.value]
                pawl_torch.ctypes.cast(count, pawl_torch.ctypes.POINTER(pawl_torch.ctypes.c_size_t))[0] = len(known)
                if nodes:
                    nodes[:] = [node for _, node in known]

            def cuGraphNodeGetType(self, node, kind):
                pawl_torch.ctypes.cast(kind, pawl_torch.ctypes.POINTER(pawl_torch.ctypes.c_int))[0] = {
                    node: kind for known in self.graphs.values() for kind, node in known}[node.value]

            def cuGraphChildGraphNodeGetGraph(self, node, child):
                pawl_torch.ctypes.cast(child, pawl_torch.ctypes.POINTER(pawl_torch.ctypes.c_void_p))[0] = 2
                return 0

        with unittest.mock.patch.object(pawl_torch.ctypes, "CDLL", lambda name: Driver()):
            check = pawl_torch.TorchKernel.check_graph
            check(None, types.SimpleNamespace(raw_cuda_graph=lambda: 3))
            with self.assertRaisesRegex(ValueError, "the call records events of its own in the graph"):
                check(None, types.SimpleNamespace(raw_cuda_graph=lambda: 1))

    def test_a_delay_is_behind_every_call_of_the_graph(self):
        kernel = FakeKernel(FakeCuda())
        self.assertIn("delay", pawl_protocol._KernelMethods(kernel, Connection()).capabilities)
        capture = pawl_torch._Capture(kernel, OUTPUT, {})
        self.assertEqual((capture.replay(1), capture.replay(4)), (1000, 4000))
        kernel.delay(2000)
        self.assertAlmostEqual(kernel.delay_cycles, 4000, delta=4)
        self.assertAlmostEqual(capture.replay(1), 3000, delta=2)
        self.assertAlmostEqual(capture.replay(4), 12000, delta=8)
        kernel.delay(3000)
        self.assertAlmostEqual(capture.replay(1), 4000, delta=3)
        kernel.delay(0)
        self.assertEqual((capture.replay(1), capture.replay(2)), (1000, 2000))
        self.assertEqual(len(capture.batches), 2)

    def time(self, late, cache, samples=40):
        kernel = FakeKernel(FakeCuda(late))
        methods = pawl_protocol._KernelMethods(kernel, Connection())
        methods.sets = [dict(OUTPUT) for _ in range(2)]
        kernel.captures = {id(one): pawl_torch._Capture(kernel, one, {}) for one in methods.sets}
        return methods.time({"warmup": 2, "samples": samples, "cache": cache, "flush_bytes": 64})

    def test_a_call_whose_work_outlasts_it_is_refused(self):
        kernel = pawl_torch.TorchKernel.__new__(pawl_torch.TorchKernel)
        with self.assertRaisesRegex(ValueError, "leaves work on a stream"):
            kernel.leave_graphs(RuntimeError("CUDA error: capturing stream has unjoined work"))

    def test_a_call_that_no_graph_can_hold_is_launched_anew(self):
        """It takes as long as in a graph, behind the same cover, and its inputs and outputs are those of each launch."""
        kernel, cuda, outputs = FakeKernel(FakeCuda()), None, []
        cuda = kernel.torch.cuda

        def compute(tensors, shape):
            if cuda.captured is not None:
                raise RuntimeError("operation not permitted\nwhen stream is capturing")
            cuda.pass_time(1000)
            outputs.append(types.SimpleNamespace(fill_=lambda value: None))
            return outputs[-1]

        kernel.compute = compute
        capture = pawl_torch._Capture(kernel, OUTPUT, {})
        self.assertEqual((kernel.method, kernel.no_graph), ("stream", "operation not permitted when stream is capturing"))
        self.assertEqual([capture.replay(1), capture.replay(1), capture.replay(4)], [1000, 1000, 4000])
        self.assertEqual([kernel.cover.late, cuda.replays], [False, 0])
        self.assertIs(capture.written["y"], outputs[-1])
        self.assertIn(outputs[-1], capture.outputs())  # the poison is for it
        kernel.delay(2000)
        self.assertAlmostEqual(capture.replay(1), 3000, delta=2)

    def test_a_launch_that_waits_for_the_device_has_no_long_cover(self):
        kernel = FakeKernel(FakeCuda())
        kernel.method = "stream"
        kernel.compute = lambda tensors, shape: kernel.torch.cuda.synchronize() or kernel.torch.cuda.pass_time(1000) or types.SimpleNamespace(
            fill_=lambda value: None)
        capture, times = pawl_torch._Capture(kernel, OUTPUT, {}), []
        for _ in range(20):
            times.append(capture.replay(1))
            self.assertTrue(kernel.cover.late)
        self.assertEqual(kernel.cover.cycles, pawl_torch.FIRST_COVER_CYCLES)
        self.assertLess(max(times), 1000 + 3 * HOST_NS)

    def test_samples_that_waited_for_the_host_are_repeated(self):
        for cache, ns in (("cold", 1000.0), ("warm", 1000.0)):
            answer = self.time(lambda replay: LATE_NS if replay % 7 == 0 else 0, cache)
            self.assertEqual(set(answer["samples_ns"]), {ns}, cache)
            self.assertGreater(answer["repeated"], 0)
            self.assertEqual(answer["waited"], [False] * 40)

    def test_a_host_that_is_always_late_is_not_hidden(self):
        answer = self.time(lambda replay: 100 * LATE_NS, "cold", samples=5)
        self.assertEqual(answer["waited"], [True] * 5)
        self.assertEqual(answer["samples_ns"], [1000.0 + IDLE_NS] * 5)
        self.assertEqual(answer["repeated"], pawl_protocol.MAX_REPETITIONS)

    def test_a_rehearsal_has_all_operations_of_the_requests(self):
        """PyTorch loads some code at its first use. A rehearsal makes it load this code before any timing."""
        names = ("poison", "flush", "exchange", "drain", "digest", "take_back")
        used = {}
        for part in ("rehearsal", "requests"):
            kernel, calls = FakeKernel(FakeCuda()), set()
            methods = pawl_protocol._KernelMethods(kernel, Connection())
            methods.sets = [dict(OUTPUT) for _ in range(2)]
            kernel.captures = {id(one): pawl_torch._Capture(kernel, one, {}) for one in methods.sets}
            for name in names:
                setattr(kernel, name, lambda *_, name=name: calls.add(name))
            kernel.timed_calls = lambda tensors, shape, count: calls.add("replay") or 1000
            if part == "rehearsal":
                kernel.rehearse(methods.sets[0], {})
            for pairs in (False, True) if part == "requests" else ():
                methods.time({"warmup": 1, "samples": 4, "cache": "cold", "flush_bytes": 64, "unseen": pairs})
            used[part] = calls
        self.assertEqual(used["rehearsal"], used["requests"])
        self.assertEqual(used["requests"], {*names, "replay"})

    def test_no_call_of_a_rehearsal_sees_inputs_that_changed_places(self):
        """They may have an order, as offsets have."""
        kernel, swapped, log = FakeKernel(FakeCuda()), False, []

        def exchange(tensors, swap):
            nonlocal swapped
            swapped ^= swap

        def take_back(tensors):
            nonlocal swapped
            swapped = not swapped

        kernel.exchange, kernel.take_back = exchange, take_back
        kernel.timed_calls = lambda tensors, shape, count: log.append(swapped) or 1000
        kernel.rehearse({}, {})
        self.assertEqual((log, swapped), ([False], False))

    def test_memory_is_pinned_until_pawl_gives_another(self):
        log, held = [], []

        class Driver:
            refuses = False

            def cuMemHostRegister_v2(self, data, count, flags):
                held.append(pawl_torch.ctypes.addressof(data))
                log.append(("pin", held[-1], count.value, flags))
                return 712 if self.refuses else 0

            def cuMemHostUnregister(self, data):
                log.append(("release", pawl_torch.ctypes.addressof(data)))
                return 0

        pinned = pawl_torch._PinnedMemory()
        pinned.driver = Driver()
        first, second = memoryview(mmap.mmap(-1, 8192)), memoryview(mmap.mmap(-1, 16384))
        pinned.hold([first[4096:5000], first[200:300], first[:0]])
        pinned.hold([first[500:600]])
        self.assertEqual(log, [("pin", held[0], 5000, 0)])
        pinned.hold([first[500:600], first[6000:7000]])  # more of it
        self.assertEqual(log[1:], [("release", held[0]), ("pin", held[0], 7000, 0)])
        pinned.hold([second[5000:6000]])  # whole pages; those behind are not its own
        self.assertEqual(log[3:], [("release", held[0]), ("pin", held[2], 6000 - 4096, 0)])
        Driver.refuses = True
        pinned.hold([first[:9]])
        pinned.hold([second[:9]])  # nothing is pinned, so there is nothing to release
        self.assertEqual([entry[0] for entry in log[5:]], ["release", "pin", "pin"])

    def test_outputs_are_hashed_as_pawl_does(self):
        torch = types.SimpleNamespace(
            int64=None, tensor=Words, arange=lambda first, end, device: Words(range(first, end)),
            nn=types.SimpleNamespace(functional=types.SimpleNamespace(pad=lambda data, sides: Bytes(data + [0] * sides[1]))))
        data = [(7 * i + 200) % 256 for i in range(99)]
        for words in (1 << 22, 5):  # in one piece, in several
            with unittest.mock.patch.object(pawl_torch, "HASHED_WORDS", words):
                for length, expected in SUM_HASHES.items():
                    self.assertEqual(pawl_torch.sum_hash([Bytes(data[:length])], torch), expected)
                self.assertEqual(pawl_torch.sum_hash([Bytes(data[:96]), Bytes(data)], torch), SUM_HASH_OF_BOTH)


class Functions(unittest.TestCase):
    """Decorated functions of pawl.py."""

    def kernel(self, function, arrays="torch", **options):
        torch = types.SimpleNamespace(
            __version__="0", float64="f64", float32="f32", float16="f16", bfloat16="bf16", int32="i32", int64="i64", uint8="u8",
            empty=lambda size, dtype, device: (size, dtype, device), as_tensor=lambda value, device: (value, device),
            cuda=types.SimpleNamespace(Event=FakeCuda().Event, current_stream=lambda: types.SimpleNamespace(cuda_stream=7)))
        options = {"params": {}, "supports": None, "workspace": {}, "deterministic": True, **options}
        with unittest.mock.patch.dict(sys.modules, {"torch": torch}):
            return pawl._gpu_kernel(pawl._Call("k", function, "op", arrays=arrays, **options))

    def prepared(self, kernel, outputs, shape):
        one = {name: types.SimpleNamespace(name=name, role=role) for name, role in outputs.items()}
        empty = unittest.mock.Mock(side_effect=lambda size, dtype, device: types.SimpleNamespace(
            size=size, dtype=dtype, numel=lambda: pawl._product(size), element_size=lambda: 4))
        kernel.torch.empty = empty
        with unittest.mock.patch.object(pawl_torch.TorchKernel, "prepare", lambda self, sets, shape, threads: setattr(
                self, "roles", {tensor.name: tensor.role for tensor in sets[0].values()}) or 100):
            return kernel.prepare([one], shape, 1)

    def test_a_function_gets_what_it_names(self):
        seen = {}

        def function(x, y, M, BLOCK, partial, dtype):
            seen.update(x=x, y=y, M=M, BLOCK=BLOCK, partial=partial, dtype=dtype)
            return "the mean"

        kernel = self.kernel(function, params={"BLOCK": 8}, workspace={"partial": "f32[M, BLOCK]"}, supports="M % BLOCK == 0")
        shape = {"M": 16, "N": 3, "dtype": "f16"}
        self.assertEqual([kernel.supports(shape), kernel.supports({**shape, "M": 3})], [None, "M % BLOCK == 0 must be true"])
        self.assertEqual([kernel.takes_output(name) for name in ("y", "mean")], [True, False])
        workspace = self.prepared(kernel, {"x": "in", "y": "out", "mean": "out"}, shape)
        self.assertEqual(workspace, 100 + 4 * 16 * 8)
        self.assertEqual(kernel.compute({"x": "an input", "y": "an output"}, shape), {"mean": "the mean"})
        partial = seen.pop("partial")
        self.assertEqual((partial.size, partial.dtype), ((16, 8), "f32"))
        self.assertEqual(seen, {"x": "an input", "y": "an output", "M": 16, "BLOCK": 8, "dtype": "f16"})

    def test_other_libraries_get_views_on_the_stream_of_the_capture(self):
        streams = []
        cupy = types.SimpleNamespace(from_dlpack=lambda tensor: ("cupy", tensor), cuda=types.SimpleNamespace(
            ExternalStream=lambda handle: streams.append(handle) or contextlib.nullcontext()))
        numba = types.SimpleNamespace(cuda=types.SimpleNamespace(as_cuda_array=lambda tensor: ("numba", tensor)))
        for arrays, module, used in (("cupy", cupy, [7]), ("numba", numba, [])):
            streams.clear()
            kernel = self.kernel(lambda x: x, arrays)
            self.prepared(kernel, {"x": "in", "y": "out"}, {})
            with unittest.mock.patch.dict(sys.modules, {arrays: module}):
                self.assertEqual(kernel.compute({"x": 1}, {}), {"y": ((arrays, 1), "cuda")})
            self.assertEqual(streams, used)

    def test_what_an_autotuner_chose_is_in_the_environment(self):
        class Autotuner:
            def __init__(self, name):
                self.base_fn = types.SimpleNamespace(__name__=name)

        used, unused = Autotuner("product"), Autotuner("softmax")
        used.best_config = "BLOCK: 64, num_warps: 4"
        with unittest.mock.patch.dict(sys.modules, {"triton.runtime.autotuner": types.SimpleNamespace(Autotuner=Autotuner)}):
            self.assertEqual(pawl_triton.autotuned(), "product: BLOCK: 64, num_warps: 4")
        self.assertTrue(unused)
        with unittest.mock.patch.dict(sys.modules, {"triton.runtime.autotuner": None}):
            self.assertEqual(pawl_triton.autotuned(), "")

    def cubin(self, sections):
        """An ELF file with these sections."""
        names = b"\0" + b"\0".join(name for name, _ in sections) + b"\0.shstrtab\0"
        parts, rows = bytearray(64), []
        for name, content in [*sections, (b".shstrtab", names)]:
            rows.append(struct.pack("<IIQQQQ24x", names.index(name + b"\0"), 1, 0, 0, len(parts), len(content)))
            parts += content
        struct.pack_into("<Q", parts, 40, len(parts))
        struct.pack_into("<HHH", parts, 58, 64, len(rows), len(rows) - 1)
        return bytes(parts) + b"".join(rows)

    def test_the_machine_code_of_a_launch_has_no_lines(self):
        class CompiledKernel:
            def __init__(self, name, *sections, registers=32):
                self.name, self.asm, self.n_regs, self.n_spills = name, {"cubin": capture.cubin(sections)}, registers, 0
                self.metadata = types.SimpleNamespace(shared=16, num_warps=4)

        def told(*kernels):
            with unittest.mock.patch.dict(sys.modules, {"triton.compiler.compiler": types.SimpleNamespace(CompiledKernel=CompiledKernel)}):
                text = pawl_triton.machine_code("softmax<<<(1,1,1), (128,1,1), 16>>>")
            self.assertTrue(kernels)
            del kernels
            gc.collect()
            return text

        capture, text = self, (b".text.softmax", b"code")
        one = told(CompiledKernel("softmax", text, (b".debug_line", b"1")))
        self.assertRegex(one, "^softmax: 32 registers, 0 spills, 16 bytes shared, 4 warps, code [0-9a-f]{16}$")
        self.assertEqual(told(CompiledKernel("softmax", text, (b".debug_line", b"22"))), one)
        for other in (CompiledKernel("softmax", (b".text.softmax", b"edoc")), CompiledKernel("softmax", text, (b".nv.constant0", b"4")),
                      CompiledKernel("softmax", text, registers=40)):
            self.assertNotEqual(told(other), one)
            del other
        gc.collect()
        self.assertEqual(told(CompiledKernel("norm", text)), "")

    def test_parameters_have_the_types_of_the_script(self):
        params = {"BLOCK": 16, "scale": 1.5, "fast": True, "mode": "a"}
        self.assertEqual(pawl._typed(params, {"BLOCK": "64", "fast": "false", "mode": "b"}),
                         {"BLOCK": 64, "scale": 1.5, "fast": False, "mode": "b"})
        for words, said in (({"BLOCKS": "1"}, "'BLOCKS', which is none of the kernel's: BLOCK"), ({"BLOCK": "1.5"}, "default 16 is of the type int"),
                            ({"fast": "2"}, "default True is of the type bool")):
            with self.assertRaisesRegex(ValueError, said):
                pawl._typed(params, words)

    def test_results_are_a_data_frame_where_pandas_is(self):
        document = {"results": [{"kernel_name": "k", "case": "c", "config": {"n": 4}, "performance": {"median_ms": 2, "samples_ms": [2]}}],
                    "comparisons": [{"kernel_name": "k", "case": "c", "config": {}, "verdict": "new"}]}
        pandas = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
        for modules, kind in (({"pandas": pandas}, tuple), ({"pandas": None}, list)):
            with unittest.mock.patch.dict(sys.modules, modules), \
                    unittest.mock.patch("builtins.open", unittest.mock.mock_open(read_data=json.dumps(document))):
                rows = pawl.load("verdict.json")
            self.assertIsInstance(rows, kind)
            row, = rows[1] if kind is tuple else rows
            self.assertEqual((row["kernel"], row["n"], row["median_ms"], row["verdict"]), ("k", 4, 2, "new"))
            self.assertNotIn("samples_ms", row)

    def test_bytes_of_e4m3(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest("numpy is missing")
        values = pawl._e4m3_values(np)
        self.assertEqual([values[code] for code in (0x01, 0x08, 0x38, 0x7e, 0xb8)], [2.0 ** -9, 2.0 ** -6, 1.0, 448.0, -1.0])
        self.assertTrue(np.isnan(values[0x7f]) and np.isnan(values[0xff]))


if __name__ == "__main__":
    unittest.main()
