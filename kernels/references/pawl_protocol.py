# SPDX-License-Identifier: Apache-2.0
"""Kernels and operators in Python, over pawl's worker protocol (docs/protocol.md). Standard library only; numpy is
used where a script asks for it.

    import pawl_protocol

    class Scale(pawl_protocol.Kernel):
        name, operator = "scale_py", "scale"

        def call(self, tensors, shape):
            tensors["y"].array()[:] = 2 * tensors["x"].array()

    pawl_protocol.serve(Scale())

pawl starts such a script by `protocol: [python3, scale.py]` in pawl.yaml, with this module on its path.
"""

import ctypes
import hashlib
import json
import math
import mmap
import os
import signal
import struct
import sys
import time

VERSION = 1
FRAME_LIMIT = 16 << 20
SHORTEST_SAMPLE_NS = 1_000_000  # in warm mode shorter calls are batched until a sample takes so long, as pawl's own worker does
MOST_CALLS_PER_SAMPLE = 1024
MAX_REPETITIONS = 16  # for a sample in which the device waited for the host
UNCLOCKED_NS = 20_000  # between a stamp and the clock of a call, on a quick machine some 5 us
READY_BYTE, GO_BYTE, WISH_BYTE, CALL_BYTE = 64, 128, 192, 256  # the words for late inputs and held calls (src/protocol/stamp.h)
HOLD_AGAIN, CALL_SHOWN = 2, 1 << 31
FUTEX_WAKE, FUTEX_CALLS = 1, {"x86_64": 202, "aarch64": 98}  # from linux/futex.h; its number as a system call
LOOKS = 20000  # about 1 ms, after which whoever shares our CPU gets it
CALLS_TO_KNOW = 3  # at least, how long one takes, before any are batched
M_TRIM_THRESHOLD, M_MMAP_MAX, KEPT_BYTES = -1, -4, (1 << 31) - 1  # from malloc.h; the most that an int holds

# dtype: (bytes of an element, struct format or None, numpy dtype)
DTYPES = {
    "f64": (8, "d", "float64"),
    "f32": (4, "f", "float32"),
    "f16": (2, "e", "float16"),
    "bf16": (2, None, "uint16"),  # the bits: see bf16_to_f32, f32_to_bf16
    "e4m3": (1, None, "uint8"),  # the bits
    "i32": (4, "i", "int32"),
    "i64": (8, "q", "int64"),
    "u8": (1, "B", "uint8"),
}


class Unsupported(Exception):
    """Raised when a request cannot be served here: a device or a library is missing."""


class Invalid(Exception):
    """Raised by Operator.tensors when shape values do not belong together."""


def bf16_to_f32(bits):
    """numpy float32 of bfloat16 bits (a uint16 array)."""
    import numpy as np

    return (np.asarray(bits, dtype=np.uint32) << 16).view(np.float32)


def f32_to_bf16(values):
    """bfloat16 bits (a uint16 array) of float32 values: to nearest, ties to even; a NaN stays one."""
    import numpy as np

    values = np.ascontiguousarray(values, dtype=np.float32)
    bits = values.view(np.uint32)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)


class Tensor:
    """One tensor in shared memory. Reading and writing go straight to it."""

    def __init__(self, description, arenas):
        self.name = description.get("name", "")
        self.role = description.get("role", "out")
        self.dtype = description.get("dtype", "f64")
        self.size = tuple(description.get("size", ()))
        first, count = description["offset"], description["bytes"]
        self.buffer = memoryview(arenas[description["fd"]])[first : first + count]

    def array(self):
        """A numpy array over the tensor: bf16 as uint16 and e4m3 as uint8, their bits."""
        import numpy as np

        return np.frombuffer(self.buffer, dtype=DTYPES[self.dtype][2]).reshape(self.size or (-1,))

    def values(self):
        """All elements as a list of numbers, without numpy."""
        if self.dtype == "bf16":
            words = struct.unpack("<%dH" % (len(self.buffer) // 2), self.buffer)
            return [struct.unpack("<f", struct.pack("<I", word << 16))[0] for word in words]
        size, letter, _ = self._known_format()
        return list(struct.unpack("<%d%s" % (len(self.buffer) // size, letter), self.buffer))

    def write(self, values):
        """Sets all elements from numbers, without numpy."""
        if self.dtype == "bf16":
            raise Unsupported("bf16 is written with array() and f32_to_bf16()")
        _, letter, _ = self._known_format()
        values = list(values)
        struct.pack_into("<%d%s" % (len(values), letter), self.buffer, 0, *values)

    def _known_format(self):
        if DTYPES[self.dtype][1] is None:
            raise Unsupported("%s is read and written with array()" % self.dtype)
        return DTYPES[self.dtype]


class Kernel:
    """Code under test. `call` is required; a kernel for another device overrides load, store, timed_call, poison, flush
    and digest too, and timed_calls where it can. `tensors` is a dict of Tensor by name; `shape` a dict of the shape's integers, and "dtype"."""

    name = operator = None
    device = "cpu"
    deterministic = False
    method = "call"  # how calls are timed, in a word
    hash_kind = None  # the kind of `digest`, where pawl can compute it too: "fmix64-sum"
    # Whether the device may have been idle in the last timed_call or timed_calls because the host had not enqueued the
    # work yet: only on a device that works on its own. Such a sample is taken again.
    waited = False

    def supports(self, shape):
        """None, or in a few words why this shape cannot be done."""
        return None

    def environment(self):
        """Strings to keep with the results: library versions, the name of the function that ran."""
        return {}

    def prepare(self, sets, shape, threads):
        """A new shape; sets is a list of dicts of tensors. May return the bytes of workspace that will be used."""

    def call(self, tensors, shape):
        raise NotImplementedError

    def load(self, tensors):
        """The contents of the shared memory have changed: bring the inputs to where call reads them."""

    def store(self, tensors):
        """Bring the outputs to the shared memory."""

    def takes_late_inputs(self):
        """Whether a timed call reads its inputs where pawl writes them, so that they can change right before it."""
        own = all(getattr(type(self), name) is getattr(Kernel, name) for name in ("load", "timed_call"))
        return own and self.device == "cpu" and os.uname().machine in FUTEX_CALLS

    # Not required, of a kernel whose inputs are copies on a device: drain() waits until the device has nothing left to
    # do. exchange(tensors, swap): right before the next timed call, behind what was enqueued until then, a few elements
    # of each input change places, or are only rewritten. take_back(tensors) takes that back. show(tensors) is store with
    # the inputs as the device has them. replaced() names a function of the timing that the script has replaced.
    drain = exchange = take_back = show = replaced = None

    def can_delay(self):
        """Whether `delay` works: it must be overridden where timed_call is."""
        return type(self).delay is not Kernel.delay or type(self).timed_call is Kernel.timed_call

    def delay(self, ns):
        """From now on a wait of `ns` nanoseconds follows each timed call inside the timed region. One code path serves every
        length; 0: no wait."""
        self._delay_ns = ns

    def _call_and_wait(self, tensors, shape):
        self.call(tensors, shape)
        if self._delay_ns:
            until = time.perf_counter_ns() + self._delay_ns
            while time.perf_counter_ns() < until:
                pass

    _delay_ns = 0

    def timed_call(self, tensors, shape):
        """Nanoseconds of one call, all its work included."""
        start = time.perf_counter_ns()
        self._call_and_wait(tensors, shape)
        return time.perf_counter_ns() - start

    def profiled_call(self, tensors, shape):
        """Nanoseconds of one call between cudaProfilerStart and cudaProfilerStop, of a kernel on a GPU."""
        return self.timed_call(tensors, shape)

    def counted_call(self, tensors, shape):
        """One call, of which nothing but its own work on a GPU may be seen, to its end."""
        self.timed_call(tensors, shape)

    def empty_caches(self):
        """Before a counted call: nothing of its tensors stays in the caches of the GPU."""

    def timed_calls(self, tensors, shape, calls):
        """Nanoseconds of `calls` calls back to back; None: they cannot be batched, each is timed by timed_call."""
        if type(self).timed_call is not Kernel.timed_call:
            return None
        start = time.perf_counter_ns()
        for _ in range(calls):
            self._call_and_wait(tensors, shape)
        return time.perf_counter_ns() - start

    def poison(self, tensors):
        """Overwrite the outputs with NaN bytes."""
        for tensor in tensors.values():
            if tensor.role == "out":
                tensor.buffer[:] = b"\xff" * len(tensor.buffer)

    def flush(self, count):
        """Push the tensors out of caches of `count` bytes."""
        if len(getattr(self, "_flush", b"")) < count:
            self._flush = bytearray(count)
        zeros = bytes(min(count, 1 << 20))
        for first in range(0, count, len(zeros) or 1):
            self._flush[first : first + len(zeros)] = zeros[: count - first]

    def digest(self, tensors):
        """Identifies the outputs' bytes."""
        state = hashlib.blake2b(digest_size=16)
        for tensor in tensors.values():
            if tensor.role != "in":
                state.update(tensor.buffer)
        return state.hexdigest()


class Operator:
    """Says what is computed and what the exact answer is. `params`, `distributions` and `tolerances` are lists of dicts
    as in docs/protocol.md."""

    name = None
    summary = ""
    params = []
    distributions = [{"name": "normal", "fill": "normal", "scale": 1.0, "adjust": False}]
    tolerances = []

    def tensors(self, shape):
        """[{"name", "role", "dtype", "size"}]; raise Invalid when the values do not belong together."""
        raise NotImplementedError

    def flop(self, shape):
        raise NotImplementedError

    def bytes(self, shape):
        """Compulsory bytes of one call: every input and output once, an inout twice."""
        total = 0
        for tensor in self.tensors(shape):
            crossings = 2 if tensor["role"] == "inout" else 1
            total += crossings * math.prod(tensor["size"]) * DTYPES[tensor["dtype"]][0]
        return total

    def adjust(self, tensors, shape, distribution, seed):
        """Edits the inputs in place."""

    def oracle(self, tensors, shape, expected):
        """Fills expected, a dict of f64 Tensor by the name of the output."""
        raise NotImplementedError


class _Connection:
    def __init__(self):
        self._input = os.fdopen(os.dup(3), "rb")
        self._output = os.fdopen(os.dup(4), "wb")
        self._arenas, self._emptied = {}, 0
        self._system = ctypes.PyDLL(None)
        for fd in (3, 4):
            os.close(fd)

    def send(self, message):
        body = json.dumps(message, allow_nan=False).encode()
        self._output.write(struct.pack("<I", len(body)) + body)
        self._output.flush()

    def receive(self):
        header = self._input.read(4)
        if len(header) < 4:
            return None
        (length,) = struct.unpack("<I", header)
        if length > FRAME_LIMIT:
            raise ValueError("a frame of %d bytes" % length)
        return json.loads(self._input.read(length))

    def arenas(self, fds, emptied=None):
        """Maps the arenas, anew when they have grown or pawl took pages away, which a GPU has pinned."""
        if emptied is not None and emptied != self._emptied:
            self._arenas, self._emptied = {}, emptied
        for fd in fds:
            size = os.fstat(fd).st_size
            if fd not in self._arenas or len(self._arenas[fd]) != size:
                self._arenas[fd] = mmap.mmap(fd, size)
        return self._arenas

    def word(self, byte):
        return memoryview(self.arenas({5})[5])[byte : byte + 4].cast("I")

    def take_turn(self):
        ready = self.word(READY_BYTE)
        turn = ready[0] = (ready[0] + 1) & 0xFFFFFFFF
        self.wake(READY_BYTE)
        return turn

    def wake(self, byte=0):
        """Wakes pawl where it waits for the word at this byte: without one, for the end of a call."""
        word = ctypes.c_uint32.from_buffer(self.arenas({5})[5], byte)
        self._system.syscall(FUTEX_CALLS[os.uname().machine], ctypes.byref(word), FUTEX_WAKE, 0x7FFFFFFF, None, None, 0)

    def await_inputs(self):
        """Says that the caches are flushed, and waits until pawl has changed the inputs. It looks and does not sleep: a
        core that has slept is slow at first. No signal handler runs meanwhile: it would see the first inputs that
        change before the last ones do."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        go, turn, looks = self.word(GO_BYTE), self.take_turn(), 0
        while go[0] != turn:
            looks += 1
            if looks > LOOKS:
                os.sched_yield()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def await_hold(self, hold, index):
        """Waits before a call on this set until pawl holds all other threads, or, without `hold`, as long as that takes."""
        self.word(CALL_BYTE)[0] = index
        self.word(WISH_BYTE)[0] = hold
        self.await_inputs()

    def end_hold(self, shown):
        """Says that the call has ended, and whether the arena shows its inputs and outputs. True: pawl had to let the
        threads go before, so the call counts for nothing."""
        if shown:
            self.word(CALL_BYTE)[0] |= CALL_SHOWN
        self.await_inputs()
        return self.word(WISH_BYTE)[0] == HOLD_AGAIN

    def tensors(self, descriptions, **defaults):
        arenas = self.arenas({d["fd"] for d in descriptions})
        return {d["name"]: Tensor({**defaults, **d}, arenas) for d in descriptions}


def _shape(params):
    return {**params.get("shape", {}), "dtype": params.get("dtype")}


class _KernelMethods:
    role = "kernel"

    def __init__(self, kernel, connection):
        self.kernel, self.connection, self.sets, self.shape = kernel, connection, [], {}
        self.fastest = math.inf  # ns of a call alone without its delay, of all requests since prepare
        self.capabilities = ["run", "time", "stamps"] + (["delay"] if kernel.can_delay() else [])
        self.capabilities += ["late"] if kernel.takes_late_inputs() else []
        self.capabilities += ["unseen", "given"] if kernel.exchange and os.uname().machine in FUTEX_CALLS else []

    def describe(self, params):
        k = self.kernel
        return {"name": k.name, "operator": k.operator, "device": k.device, "deterministic": k.deterministic,
                "environment": k.environment()}

    def prepare(self, params):
        self.sets, self.shape, self.fastest = [], _shape(params), math.inf
        reason = self.kernel.supports(self.shape)
        if reason is not None:
            return {"supported": False, "reason": reason}
        self.connection.arenas((), params.get("emptied", 0))
        self.sets = [self.connection.tensors(one) for one in params["sets"]]
        workspace = self.kernel.prepare(self.sets, self.shape, params.get("threads", 1))
        return {"supported": True, "workspace_bytes": workspace or 0}

    def run(self, params):
        tensors = self.sets[params["set"]]
        if "metrics" in params:
            import pawl_counters

            return pawl_counters.count(self.kernel, tensors, self.shape, params)
        self.kernel.load(tensors)
        call = self.kernel.profiled_call if params.get("profile") else self.kernel.timed_call
        ns = call(tensors, self.shape)
        self.kernel.store(tensors)
        return {"ns": ns}

    def time(self, params):
        delay_ns = params.get("delay_ns", 0)
        if delay_ns and not self.kernel.can_delay():
            raise Unsupported("no delay can be put into its timed calls")
        if delay_ns:
            self.kernel.delay(delay_ns)
        try:
            answer, found = self._time(params), self.kernel.replaced and self.kernel.replaced()
            if found:
                raise RuntimeError("'%s' is not the function that the timing needs: a script must not replace it" % found)
            return answer
        finally:
            if delay_ns:
                self.kernel.delay(0)  # a later `run` is the kernel alone

    def _time(self, params):
        started, kernel = time.perf_counter_ns(), self.kernel
        cold, first = params["cache"] == "cold", params.get("first_set", 0)
        originals = [{n: bytes(t.buffer) for n, t in one.items() if t.role == "inout"} for one in self.sets]
        may_batch = not cold and not params.get("late") and not any(originals)
        least = 0 if not may_batch else 1 if math.isfinite(self.fastest) else CALLS_TO_KNOW
        warmup = max(params["warmup"], least)
        count = min(len(self.sets), max(warmup, params["samples"]))
        used = [self.sets[(first + i) % len(self.sets)] for i in range(count)]
        for tensors in used:
            kernel.load(tensors)

        batch, word, stamping = 1, self.connection.word(0), False

        def stamp():
            """Around each sample, for pawl's own clock."""
            if stamping:
                word[0] = (word[0] + 1) & 0xFFFFFFFF

        held, given, exchange = params.get("held"), params.get("given"), params.get("exchange", True)

        def take_back(tensors):
            """The usual inputs are in the arena again."""
            if given:
                kernel.load(tensors)
            elif exchange:
                kernel.take_back(tensors)

        def call_once(tensors, swap):
            if swap is not None:
                kernel.drain()
                if given:
                    kernel.load(tensors)
                if exchange:
                    kernel.exchange(tensors, swap)
            if cold:
                kernel.flush(params.get("flush_bytes", 0))
            if stamping and params.get("late"):
                self.connection.await_inputs()
                for tensor in [] if cold else tensors.values():
                    bytes(tensor.buffer[::64])  # the bytes that pawl has just written are in the caches of its CPU
            begun = time.perf_counter_ns()
            stamp()
            ns = kernel.timed_calls(tensors, self.shape, batch) if batch > 1 else None
            calls, ns = (1, kernel.timed_call(tensors, self.shape)) if ns is None else (batch, ns)
            whole = time.perf_counter_ns() - begun
            stamp()
            if not (stamping and params.get("late")):
                return ns, calls
            self.connection.wake()  # a signal handler may have run between a stamp and the kernel's clock
            return max(ns, whole - UNCLOCKED_NS), calls

        def call(number, swap=None, look=False):
            index = (first + number) % len(self.sets)
            tensors = self.sets[index]
            while True:
                for name, value in originals[index].items():
                    tensors[name].buffer[:] = value
                if originals[index]:
                    kernel.load(tensors)
                kernel.poison(tensors)
                if held and swap is not None:
                    self.connection.await_hold(swap, index)
                ns, calls = call_once(tensors, swap)
                if look:
                    kernel.show(tensors)
                if not (held and swap is not None and self.connection.end_hold(look)):
                    return tensors, ns, calls
                if swap:
                    take_back(tensors)

        delay_ns = params.get("delay_ns", 0)
        for i in range(warmup):
            self.fastest = min(self.fastest, max(call(i)[1] - delay_ns, 1))
        if may_batch and not params.get("unseen") and self.fastest + delay_ns < SHORTEST_SAMPLE_NS:
            needed = math.ceil(SHORTEST_SAMPLE_NS / (self.fastest + delay_ns))
            batch = min(1 << (needed - 1).bit_length(), MOST_CALLS_PER_SAMPLE)  # a power of two: the same next time
        samples, hashes, waited, calls, repeated, stamping = [], [], [], 1, 0, True
        if params.get("unseen"):
            return {**self._pairs(params, call, take_back, used), "method": kernel.method, "wall_ns": time.perf_counter_ns() - started,
                    **({"hash": kernel.hash_kind} if kernel.hash_kind else {})}
        for i in range(params["samples"]):
            tensors, ns, calls = call(i)
            for _ in range(0 if any(waited) else MAX_REPETITIONS):  # once repetitions were of no use, no more are made
                if not kernel.waited:
                    break
                tensors, ns, calls = call(i)
                repeated += 1
            samples.append(max(ns, 0.5) / calls)
            waited.append(kernel.waited)
            hashes.append(kernel.digest(tensors))
        for tensors in used:
            kernel.store(tensors)
        return {"samples_ns": samples, "hashes": hashes, "calls_per_sample": calls, "method": kernel.method,
                "waited": waited, "repeated": repeated, "wall_ns": time.perf_counter_ns() - started,
                **({"hash": kernel.hash_kind} if kernel.hash_kind else {})}

    def _pairs(self, params, call, take_back, used):
        """As src/host/kernel_pairs.h: of each pair a call on inputs as they are and one on inputs that pawl gives, or in
        which elements have just changed places, in an order drawn by chance, each behind a call on the usual inputs."""
        kernel, sets, wanted = self.kernel, len(self.sets), params["samples"] // 2
        times, hashes, waited, repeated, looked = {}, {}, {}, 0, -1
        for begin in range(0, wanted, sets):
            pairs = range(begin, min(begin + sets, wanted))
            unseen_first = os.urandom(len(pairs))
            for second in range(2):
                for pair in pairs:
                    unseen = (unseen_first[pair - begin] & 1) != second
                    look = unseen and pair == params.get("look")
                    for attempt in range(MAX_REPETITIONS + 1):
                        tensors, ns, _ = call(pair - begin, unseen, look)
                        if not kernel.waited or attempt == MAX_REPETITIONS:
                            break
                        repeated += 1
                        if unseen:
                            take_back(tensors)
                    place = 2 * pair + unseen
                    times[place], waited[place], hashes[place] = max(ns, 0.5), kernel.waited, kernel.digest(tensors)
                    if look:
                        looked = (params.get("first_set", 0) + pair - begin) % sets
                    if unseen:
                        take_back(tensors)
                for pair in pairs:
                    call(pair - begin)
        for tensors in used:
            if looked < 0 or tensors is not self.sets[looked]:
                kernel.store(tensors)
        places = range(2 * wanted)
        return {"samples_ns": [times[i] for i in places], "hashes": [hashes[i] for i in places], "calls_per_sample": 1,
                "waited": [waited[i] for i in places], "repeated": repeated, **({"looked": looked} if looked >= 0 else {})}


def keep_memory():
    """Freed memory stays with the process. An oracle needs large arrays again for each request, and new memory costs about as
    much time as the arithmetic."""
    system = ctypes.CDLL(None)
    if hasattr(system, "mallopt"):
        system.mallopt(M_MMAP_MAX, 0)
        system.mallopt(M_TRIM_THRESHOLD, KEPT_BYTES)


class _OperatorMethods:
    role, capabilities = "operator", ["adjust", "oracle"]

    def __init__(self, operator, connection):
        self.operator, self.connection = operator, connection
        keep_memory()

    def describe(self, params):
        o = self.operator
        return {"name": o.name, "summary": o.summary, "params": o.params, "distributions": o.distributions,
                "tolerances": o.tolerances}

    def tensors(self, params):
        shape = _shape(params)
        return {"tensors": self.operator.tensors(shape), "flop": float(self.operator.flop(shape)),
                "bytes": float(self.operator.bytes(shape))}

    def adjust(self, params):
        tensors = self.connection.tensors(params["tensors"])
        self.operator.adjust(tensors, _shape(params), params["distribution"], params["seed"])
        return {}

    def oracle(self, params):
        tensors = self.connection.tensors(params["tensors"])
        expected = self.connection.tensors(params["expected"], dtype="f64")
        for name, tensor in expected.items():
            tensor.size = tensors[name].size
        self.operator.oracle(tensors, _shape(params), expected)
        return {}


def _answer(methods, request):
    method = request.get("method", "")
    try:
        if method.startswith("_") or not callable(getattr(methods, method, None)):
            raise Unsupported("no method '%s'" % method)
        return {"result": getattr(methods, method)(request.get("params", {}))}
    except Exception as error:  # pawl gets one line of every error, and the log has the whole error
        kind = "unsupported" if isinstance(error, Unsupported) else "invalid" if isinstance(error, Invalid) else "failed"
        if kind == "failed":
            sys.excepthook(*sys.exc_info())
        words = str(error) if kind != "failed" else "%s: %s" % (type(error).__name__, error)
        return {"error": {"kind": kind, "message": " ".join(words.split()) or kind}}


def refuse(reason, kind="unsupported"):
    """Instead of serve: what this worker needs is not here (a library, a device), or with another kind it is wrong."""
    _Connection().send({"error": {"kind": kind, "message": reason}})
    sys.exit(0)


def serve(what):
    """Answers pawl's requests for a Kernel or an Operator until it says quit."""
    connection = _Connection()
    methods = (_KernelMethods if isinstance(what, Kernel) else _OperatorMethods)(what, connection)
    connection.send({"pawl": VERSION, "role": methods.role, "capabilities": methods.capabilities})
    while True:
        request = connection.receive()
        if request is None or request.get("method") == "quit":
            return
        answer = {"id": request.get("id"), **_answer(methods, request)}
        sys.stdout.flush()
        connection.send(answer)
