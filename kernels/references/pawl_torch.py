# SPDX-License-Identifier: Apache-2.0
"""Kernels on PyTorch tensors (PyTorch itself, Triton, CUTLASS's Python) over pawl's worker protocol, timed as pawl's own
worker times a CUDA plug-in: the call is captured into a CUDA graph between two event records, and the graph is replayed
behind work that keeps the GPU busy until all of it is enqueued, so that nothing the host does is in the time.

    import pawl_torch

    class Scale(pawl_torch.TorchKernel):
        name, operator = "scale_torch", "scale"

        def compute(self, tensors, shape):       # CUDA tensors of the inputs, by name; returns the output
            return 2 * tensors["x"]

    pawl_torch.serve(Scale)
"""

import ctypes
import importlib
import importlib.util
import mmap
import os
import sys
import time
import warnings

import pawl_protocol

WARM_UP_CALLS = 3  # plans, handles and compiled code come into being outside the capture
CALIBRATION_CYCLES = 20_000_000  # about 10 ms: how long a cycle of the GPU's clock is
FIRST_COVER_CYCLES, LAST_COVER_CYCLES = 400_000, 102_400_000  # about 0.2 ms and 50 ms
FLUSHED_AT_FIRST = 1 << 20  # bytes: how many pawl wants is known later
EXCHANGED_PAIRS = 8  # in each input, as in src/protocol/swap.h
HASHED_WORDS = 1 << 22  # at a time, so that a large output needs little memory besides
REASON_LIMIT = 200  # characters of a library's words


def serve(kernel_class, *arguments, needs=()):
    """Serves kernel_class(*arguments); refuses, with the reason, where PyTorch, a GPU or a module of `needs` is missing,
    or is there but cannot be loaded (built for another PyTorch, say)."""
    for module in ("torch", *needs):
        if importlib.util.find_spec(module.partition(".")[0]) is None:
            pawl_protocol.refuse("%s has no module '%s'" % (sys.executable, module.partition(".")[0]))
    for module in ("torch", *needs):  # PyTorch's import takes seconds
        try:
            importlib.import_module(module)
        except (ImportError, OSError) as error:
            pawl_protocol.refuse("%s cannot load '%s': %s" % (sys.executable, module, one_line(error)))
    import torch

    if not torch.cuda.is_available():
        pawl_protocol.refuse("PyTorch %s sees no GPU" % torch.__version__)
    torch.backends.cuda.matmul.allow_tf32 = False  # f32 means f32
    torch.cuda.set_stream(torch.cuda.Stream())  # the default stream waits for others, and others for it
    with torch.no_grad():
        pawl_protocol.serve(kernel_class(*arguments))


def one_line(*words):
    return " ".join(" ".join(map(str, words)).split())[:REASON_LIMIT]


class TorchKernel(pawl_protocol.Kernel):
    """`compute` is required."""

    device, method, hash_kind = "cuda", "graph", "fmix64-sum"
    memory_order = None  # the dimensions as they lie in memory, outermost first; None: the order of the operator

    def compute(self, tensors, shape):
        """The output, from a dict of the inputs on the GPU; of several outputs a dict by name. It changes inouts in place. Called
        under a graph capture: no host may wait in it."""
        raise NotImplementedError

    def takes_output(self, name):
        """Whether `tensors` of compute has this output, for compute to write it. It returns the others."""
        return False

    def __init__(self):
        import torch

        self.torch = torch
        self.dtypes = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
                       "e4m3": getattr(torch, "float8_e4m3fn", None),  # older versions have none
                       "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8}
        self.captures, self.functions, self.no_graph, self.cover = {}, "", None, _Cover(torch.cuda)
        self.pinned = _PinnedMemory()
        self.flush_buffer, self.flush_value = None, 0
        self.delay_cycles, self.cycles_per_ns = 0, None

    def environment(self):
        found = {"pytorch": self.torch.__version__, "cuda": self.torch.version.cuda or "", "method": self.method,
                 "cudnn": str(self.torch.backends.cudnn.version() or "")}
        known = {"functions": self.functions, "no_graph": self.no_graph}
        return {**found, **{name: value for name, value in known.items() if value}}

    def why_not(self, attempt):
        """None when `attempt` works, else why not in the library's words."""
        try:
            with warnings.catch_warnings(record=True) as reasons:
                warnings.simplefilter("always")
                attempt()
                self.torch.cuda.synchronize()
        except (RuntimeError, ValueError, NotImplementedError, AssertionError) as error:  # FlashAttention-4 asserts
            return one_line(error, *(reason.message for reason in reasons))
        return None

    def replaced(self):
        own = next((name for name in TIMED_HERE if name in vars(self) or
                    getattr(type(self), name) is not getattr(TorchKernel, name)), None)
        if own:
            return "%s.%s" % (type(self).__name__, own)
        for capture in self.captures.values():
            for one in (capture, self.cover, capture.start, capture.end, capture.graph):
                own = next((name for name in vars(one) if callable(getattr(type(one), name, None))), None)
                if own:
                    return "%s.%s" % (type(one).__name__, own)
        return replaced_in(self.torch)

    def leave_graphs(self, error):
        """The call waits for the device, for example. Its time is then that of its launch behind the cover."""
        while error.__context__:  # the end of the capture fails too, and says less
            error = error.__context__
        if "unjoined" in str(error):  # the end of the timing would not wait for that work
            raise ValueError("the call leaves work on a stream that its own stream does not wait for, so its time is unknown")
        self.method, self.no_graph, self.functions = "stream", one_line(error), ""
        self.torch.cuda.synchronize()

    def check_graph(self, graph):
        """Only the two events of the timing are in the graph: an event that the call records again has a later time."""
        if sum(kind == EVENT_RECORD_NODE for kind, _ in nodes_of(graph)[1]) != 2:
            raise ValueError("the call records events of its own in the graph, so its time is unknown")

    def prepare(self, sets, shape, threads):
        torch, self.captures, self.method, self.no_graph = self.torch, {}, "graph", None
        self.roles = {tensor.name: tensor.role for tensor in sets[0].values()}
        torch.cuda.empty_cache()
        torch.cuda.synchronize()  # there is a context
        self.pinned.hold([tensor.buffer for one in sets for tensor in one.values()])
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        self.captures = {id(one): _Capture(self, one, shape) for one in sets}
        if self.method == "graph":
            self.functions = graph_functions(next(iter(self.captures.values())).graph)
        named = sum(len(tensor.buffer) for one in sets for tensor in one.values())
        workspace = max(0, torch.cuda.max_memory_allocated() - before - named)
        self.rehearse(sets[0], shape)
        return workspace

    def rehearse(self, tensors, shape):
        """Does once what requests do around a call: PyTorch loads the code of each operation at its first use. Processes prepare
        side by side and are measured one after another. No call sees inputs that changed places: they may have an order."""
        self.poison(tensors)
        self.flush(FLUSHED_AT_FIRST)
        self.exchange(tensors, False)
        self.timed_call(tensors, shape)
        self.digest(tensors)
        for _ in range(2):  # there and back
            self.take_back(tensors)
        self.drain()

    def load(self, tensors):
        self.captures[id(tensors)].load()

    def store(self, tensors):
        self.captures[id(tensors)].store()

    def poison(self, tensors):
        for output in self.captures[id(tensors)].outputs():
            output.fill_(float("nan") if output.is_floating_point() else -1)

    def flush(self, count):
        if self.flush_buffer is None or len(self.flush_buffer) < count:
            self.flush_buffer = self.torch.empty(count, dtype=self.torch.uint8, device="cuda")
        self.flush_value = (self.flush_value + 1) % 256
        self.flush_buffer[:count].fill_(self.flush_value)
        # the read leaves clean lines: the write-back of dirty lines would take the time of the call
        self.torch.amax(self.flush_buffer[: count - count % 8].view(self.torch.int64))

    def drain(self):
        self.torch.cuda.synchronize()

    def exchange(self, tensors, swap):
        self.captures[id(tensors)].planned = swap

    def take_back(self, tensors):
        self.captures[id(tensors)].exchange_again()

    def show(self, tensors):
        self.captures[id(tensors)].show_inputs()
        self.store(tensors)

    def delay(self, ns):
        """By a kernel that counts cycles, behind every call inside the graph."""
        if ns and self.cycles_per_ns is None:
            self.cycles_per_ns = self.measure_cycles_per_ns()
        self.delay_cycles = max(1, round(ns * self.cycles_per_ns)) if ns else 0

    def measure_cycles_per_ns(self):
        cuda = self.torch.cuda
        start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        for _ in range(2):  # the first raises the clock
            start.record()
            cuda._sleep(CALIBRATION_CYCLES)
            end.record()
            cuda.synchronize()
        return CALIBRATION_CYCLES / (start.elapsed_time(end) * 1e6)

    def timed_call(self, tensors, shape):
        return self.timed_calls(tensors, shape, 1)

    def counted_call(self, tensors, shape):
        """Without the graph and its cover."""
        capture = self.captures[id(tensors)]
        capture.written = capture.checked(self.compute({**capture.inputs, **capture.given}, shape))
        self.torch.cuda.synchronize()

    def empty_caches(self):
        """The L2 has two halves that mirror each other."""
        self.flush(2 * self.torch.cuda.get_device_properties(0).L2_cache_size)
        self.torch.cuda.synchronize()

    def profiled_call(self, tensors, shape):
        """In the range that a profiler records."""
        cuda = self.torch.cuda
        cuda.synchronize()
        cuda.cudart().cudaProfilerStart()
        start = time.perf_counter_ns()
        self.counted_call(tensors, shape)
        ns = time.perf_counter_ns() - start
        cuda.cudart().cudaProfilerStop()
        return ns

    def timed_calls(self, tensors, shape, calls):
        ns = self.captures[id(tensors)].replay(calls)
        self.waited = self.cover.late
        return ns

    def digest(self, tensors):
        """On the GPU, which then has no time to lower its clocks between two samples."""
        written = self.captures[id(tensors)].results().values()
        return sum_hash([data.reshape(-1).view(self.torch.uint8) for data in written], self.torch)


class _PinnedMemory:
    """The shared memory, which the GPU then reads and writes without copies in between: ten times as fast. Where the
    driver refuses, copies are slower and nothing else changes."""

    def __init__(self):
        self.driver, self.mapping, self.first, self.end, self.bytes = None, None, 0, 0, None

    def hold(self, buffers):
        """The pages of the tensors and between them; those behind may be another case's. pawl gives more memory as another
        mapping. Ours stays mapped as long as we hold it."""
        places = [(ctypes.addressof(ctypes.c_char.from_buffer(one)), len(one)) for one in buffers if len(one)]
        if not places:
            return
        mapping, start = buffers[0].obj, ctypes.addressof(ctypes.c_char.from_buffer(buffers[0].obj))
        first, end = min(place for place, _ in places) - start, max(place + count for place, count in places) - start
        if mapping is self.mapping and self.first <= first and end <= self.end:
            return
        self.driver = self.driver or ctypes.CDLL("libcuda.so.1")
        if self.mapping is not None:
            self.driver.cuMemHostUnregister(self.bytes)
        self.mapping, self.first, self.end = None, first // mmap.PAGESIZE * mmap.PAGESIZE, end
        self.bytes = (ctypes.c_char * (end - self.first)).from_buffer(mapping, self.first)
        if self.driver.cuMemHostRegister_v2(self.bytes, ctypes.c_size_t(end - self.first), 0) == 0:
            self.mapping = mapping


class _Cover:
    """Work ahead of a replay that keeps the GPU busy until the host has enqueued the replay. Without it the GPU begins
    the graph before it has all of it, and stops in between. An event behind the cover tells whether it was long enough;
    where it was not the sample is taken again behind a longer one. It ends by itself: nothing can wait for it for ever."""

    def __init__(self, cuda):
        self.cuda, self.end = cuda, cuda.Event()
        self.cycles, self.late, self.gave_up = FIRST_COVER_CYCLES, False, False

    def enqueue(self):
        self.cuda._sleep(self.cycles)
        self.end.record()

    def check(self):
        """To be called as soon as all is enqueued."""
        self.late = self.end.query()
        if self.late and not self.gave_up:  # behind a launch that waits for the device no cover is long enough
            self.gave_up = self.cycles == LAST_COVER_CYCLES
            self.cycles = FIRST_COVER_CYCLES if self.gave_up else min(2 * self.cycles, LAST_COVER_CYCLES)


class _Stream:
    """In place of a graph: the launch itself."""

    def __init__(self, launch):
        self.replay = launch


class _Capture:
    """One set of tensors on the GPU, and graphs of one call and of a batch of calls on them."""

    def __init__(self, kernel, tensors, shape):
        torch = self.torch = kernel.torch
        self.kernel, self.shape = kernel, shape
        self.shared = {t.name: (t, kernel.dtypes[t.dtype]) for t in tensors.values()}
        self.inputs = {name: self.empty(name) for name, (t, _) in self.shared.items() if t.role != "out"}
        self.given = {name: self.empty(name) for name, (t, _) in self.shared.items()
                      if t.role == "out" and kernel.takes_output(name)}
        self.load()
        self.planned, self.places = None, []  # an exchange before the next replay; what the last one exchanged
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP_CALLS):
                kernel.compute({**self.inputs, **self.given}, shape)
        torch.cuda.synchronize()
        self.start, self.end = (torch.cuda.Event(enable_timing=True, external=True) for _ in range(2))
        self.graph, self.written = self.capture(1, 0)
        # By the number of calls and the cycles of delay after each; at most one beside the single call.
        self.batches = {(1, 0): (self.graph, self.written)}

    def enqueue(self, calls, delay_cycles):
        """The calls between the two events; the outputs that they write, by name."""
        self.start.record()
        for _ in range(calls):
            written = self.checked(self.kernel.compute({**self.inputs, **self.given}, self.shape))
            if delay_cycles:
                self.torch.cuda._sleep(delay_cycles)
        self.end.record()
        return written

    def capture(self, calls, delay_cycles):
        """The graph that replays the calls, or their launch where no graph can hold them; and the outputs that it writes."""
        if self.kernel.method == "graph":
            graph = self.torch.cuda.CUDAGraph(keep_graph=True)
            try:
                with self.torch.cuda.graph(graph):
                    written = self.enqueue(calls, delay_cycles)
            except RuntimeError as error:
                self.kernel.leave_graphs(error)
            else:
                self.kernel.check_graph(graph)
                graph.instantiate()
                return graph, written
        written = self.enqueue(calls, delay_cycles)
        return _Stream(lambda: written.update(self.enqueue(calls, delay_cycles))), written

    def checked(self, returned):
        """All outputs. Another object than a tensor could compute when pawl reads it, outside the timed region."""
        missing = [name for name, (t, _) in self.shared.items() if t.role == "out" and name not in self.given]
        if not isinstance(returned, dict):
            returned = {} if returned is None and not missing else {missing[0] if len(missing) == 1 else "": returned}
        for output in returned.values():
            if type(output) is not self.torch.Tensor:
                raise TypeError("compute returned a %s, not a torch.Tensor" % type(output).__name__)
        if set(returned) != set(missing):
            raise TypeError("compute must return %s" % (", ".join("'%s'" % name for name in missing) or "nothing"))
        return {**self.given, **returned}

    def outputs(self):
        return [output for _, written in self.batches.values() for output in written.values()]

    def empty(self, name):
        tensor, dtype = self.shared[name]
        order = self.kernel.memory_order
        if not order:
            return self.torch.empty(tensor.size, dtype=dtype, device="cuda")
        memory = self.torch.empty([tensor.size[dim] for dim in order], dtype=dtype, device="cuda")
        return memory.permute([order.index(dim) for dim in range(len(order))])

    def host(self, name):
        tensor, dtype = self.shared[name]
        return self.torch.frombuffer(tensor.buffer, dtype=dtype).reshape(tensor.size)

    def load(self):
        for name, target in self.inputs.items():
            target.copy_(self.host(name))

    def results(self):
        """The outputs and inouts as they are stored, by name."""
        return {name: (self.written[name] if tensor.role == "out" else self.inputs[name]).to(dtype).contiguous()
                for name, (tensor, dtype) in self.shared.items() if tensor.role != "in"}

    def store(self):
        for name, result in self.results().items():
            self.host(name).copy_(result)

    def draw_places(self, count):
        """Pairs of places, each place in a stretch of its own, so that none is drawn twice: drawn on the GPU."""
        torch, pairs = self.torch, min(count // 2, EXCHANGED_PAIRS)
        if not pairs:
            return None
        generator = torch.Generator(device="cuda").manual_seed(int.from_bytes(os.urandom(7), "little"))
        stretch = count // (2 * pairs)
        drawn = torch.randint(stretch, (2 * pairs,), generator=generator, device="cuda")
        return (drawn + torch.arange(2 * pairs, device="cuda") * stretch).view(pairs, 2)

    def exchange(self, swap):
        """In the stream of the replay, behind the cover: nobody knows the places before."""
        self.places = [(data, self.draw_places(data.numel())) for _, data in self.only_read()]
        self.exchange_again(swap)

    def exchange_again(self, swap=True):
        for data, places in self.places:
            if places is not None:
                flat = data.as_strided((data.numel(),), (1,)) if self.kernel.memory_order else data.view(-1)
                flat = flat.view(self.torch.uint8) if flat.element_size() == 1 else flat  # PyTorch indexes no E4M3
                flat[places] = flat[places.flip(1) if swap else places]

    def only_read(self):
        """An inout is new before each call, and an output after it."""
        return [(name, data) for name, data in self.inputs.items() if self.shared[name][0].role == "in"]

    def show_inputs(self):
        for name, source in self.only_read():
            self.host(name).copy_(source)

    def replay(self, calls):
        """Nanoseconds of `calls` calls, all their work included; the output is then the one of the last."""
        wanted = (calls, self.kernel.delay_cycles)
        if wanted not in self.batches:
            self.batches = {(1, 0): self.batches[1, 0], wanted: self.capture(*wanted)}
            for output in self.batches[wanted][1].values():
                output.fill_(0)  # the capture ran nothing
        graph, self.written = self.batches[wanted]
        self.kernel.cover.enqueue()
        if self.planned is not None:
            self.exchange(self.planned)
            self.planned = None
        graph.replay()
        self.kernel.cover.check()
        self.torch.cuda.synchronize()
        return round(self.start.elapsed_time(self.end) * 1e6)


def _signed(word):
    return (word & (1 << 64) - 1 ^ 1 << 63) - (1 << 63)


_STEP, _FIRST, _SECOND = map(_signed, (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))


def mixed_sums(words, places):
    """The two sums of the hash fmix64-sum over 64-bit words at these places (src/base/sum_hash.h), signed; of tensors
    or arrays of int64, whose arithmetic wraps."""
    def fold(x):
        return x ^ ((x >> 33) & 0x7FFFFFFF)  # the shift keeps the sign
    low = fold(fold(words + (places + 1) * _STEP) * _FIRST)
    return int(low.sum()), int(fold(low * _SECOND).sum())


def sum_hash(pieces, torch):
    """The hash fmix64-sum of tensors of bytes, as hexadecimal digits: of each its length as a word, then its bytes as words."""
    sums, place = [], 0
    for data in pieces:
        length = data.numel()
        words = (torch.nn.functional.pad(data, (0, -length % 8)) if length % 8 else data).view(torch.int64)
        sums.append(mixed_sums(torch.tensor([length]), torch.tensor([place])))
        for first in range(0, len(words), HASHED_WORDS):
            piece, begin = words[first : first + HASHED_WORDS], place + 1 + first
            sums.append(mixed_sums(piece, torch.arange(begin, begin + len(piece), device=piece.device)))
        place += 1 + len(words)
    low, high = (sum(column) & (1 << 64) - 1 for column in zip(*sums))
    return "%016x%016x" % (high, low)


class _NodeParams(ctypes.Structure):  # CUDA_KERNEL_NODE_PARAMS_v2 of cuda.h
    _fields_ = [("function", ctypes.c_void_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared_bytes", ctypes.c_uint), ("arguments", ctypes.c_void_p), ("extra", ctypes.c_void_p),
                ("kernel", ctypes.c_void_p), ("context", ctypes.c_void_p)]


KERNEL_NODE, CHILD_GRAPH_NODE, EVENT_RECORD_NODE = 0, 4, 7  # CUgraphNodeType of cuda.h


def graph_nodes(graph, driver):
    """(type, node) of a graph of the driver and the graphs in it."""
    count = ctypes.c_size_t()
    driver.cuGraphGetNodes(graph, None, ctypes.byref(count))
    nodes = (ctypes.c_void_p * count.value)()
    driver.cuGraphGetNodes(graph, nodes, ctypes.byref(count))
    for node in map(ctypes.c_void_p, nodes):
        kind, child = ctypes.c_int(-1), ctypes.c_void_p()
        driver.cuGraphNodeGetType(node, ctypes.byref(kind))
        yield kind.value, node
        if kind.value == CHILD_GRAPH_NODE and not driver.cuGraphChildGraphNodeGetGraph(node, ctypes.byref(child)):
            yield from graph_nodes(child, driver)


def nodes_of(graph):
    driver = ctypes.CDLL("libcuda.so.1")
    return driver, list(graph_nodes(ctypes.c_void_p(graph.raw_cuda_graph()), driver))


def graph_functions(graph):
    """The launches of a captured graph, by the driver: "name<<<(132,1,1), (384,1,1), 137216>>>; ..."."""
    driver, nodes = nodes_of(graph)
    launches = []
    for kind, node in nodes:
        params, name = _NodeParams(), ctypes.c_char_p()
        if kind != KERNEL_NODE or driver.cuGraphKernelNodeGetParams_v2(node, ctypes.byref(params)):
            continue
        known = params.kernel and not driver.cuKernelGetName(ctypes.byref(name), ctypes.c_void_p(params.kernel))
        if not known and driver.cuFuncGetName(ctypes.byref(name), ctypes.c_void_p(params.function)):
            continue
        grid, block = ("(%d,%d,%d)" % tuple(size) for size in (params.grid, params.block))
        launches.append("%s<<<%s, %s, %d>>>" % (name.value.decode(), grid, block, params.shared_bytes))
    return "; ".join(launches)


# The functions that a time depends on, by their owner in PyTorch. A script could replace them in its own process.
TRUSTED = {
    "cuda.Event": ("record", "elapsed_time", "query"), "cuda.CUDAGraph": ("replay", "instantiate", "raw_cuda_graph"),
    "_C._CUDAGraph": ("replay", "instantiate", "raw_cuda_graph"), "cuda.graph": ("__enter__", "__exit__"), "cuda": ("synchronize", "_sleep", "stream"),
    "Tensor": ("copy_", "fill_", "view", "reshape", "to", "contiguous", "data_ptr", "__getitem__", "__setitem__"),
    "": ("empty", "amax", "randint", "arange", "frombuffer")}
BUILT_IN = ("builtin_function_or_method", "method_descriptor", "wrapper_descriptor", "instancemethod")
TIMED_HERE = ("timed_call", "timed_calls", "profiled_call", "load", "store", "show", "poison", "flush", "drain", "exchange",
              "take_back", "digest", "delay", "rehearse", "check_graph", "replaced")


def is_of(function, folder):
    """Whether a function is built in or its code is of a file of the folder."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code.co_filename.startswith(folder) if code else type(function).__name__ in BUILT_IN


def replaced_in(torch):
    """The name of the first function of PyTorch, or of this file, that is not its own; None: there is none."""
    folder = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
    for path, names in TRUSTED.items():
        owner = torch
        for part in path.split(".") if path else ():
            owner = getattr(owner, part)
        for name in names:
            if not is_of(getattr(owner, name, None), folder):
                return ".".join(filter(None, ("torch", path, name)))
    for owner in (_Capture, _Cover, _PinnedMemory, TorchKernel, pawl_protocol.Kernel):
        for name, value in vars(owner).items():
            if callable(value) and not is_of(value, os.path.dirname(os.path.abspath(__file__)) + os.sep):
                return "%s.%s" % (owner.__name__, name)
    return None
