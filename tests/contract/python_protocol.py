#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How pawl_protocol.py times: which calls are batched, and what is said of it. PYTHONPATH names its folder."""

import contextlib
import mmap
import struct
import threading
import time
import types
import unittest
import unittest.mock

import pawl_protocol
import pawl_torch


class Connection:
    def __init__(self):
        self.word = memoryview(bytearray(4)).cast("I")

    def stamp_word(self):
        return self.word

    def await_inputs(self):
        self.awaited = getattr(self, "awaited", ()) + (self.word[0],)

    def wake(self):
        self.ended = getattr(self, "ended", ()) + (self.word[0],)


class Copy(pawl_protocol.Kernel):
    name, operator = "copy", "copy"

    def __init__(self):
        self.calls = 0

    def call(self, tensors, shape):
        self.calls += 1
        tensors["y"].buffer[:] = tensors["x"].buffer


class Clocked(Copy):
    """A kernel on a device of its own, which cannot batch."""

    method = "events"

    def timed_call(self, tensors, shape):
        self.call(tensors, shape)
        return 100


class Batching(Clocked):
    batches = ()

    def timed_calls(self, tensors, shape, calls):
        self.batches += (calls,)
        self.call(tensors, shape)
        return 100 * calls


class OnDevice(Clocked):
    """Its inputs are copies, of which the first and the last element change places when the call begins."""

    def __init__(self):
        super().__init__()
        self.copies, self.planned, self.log, self.poisoned = {}, None, [], 0

    def load(self, tensors):
        self.copies[id(tensors)] = bytearray(tensors["x"].buffer)

    def swap(self, tensors):
        x = self.copies[id(tensors)]
        x[:4], x[-4:] = x[-4:], x[:4]

    def drain(self):
        self.log.append("drain")

    def exchange(self, tensors, swap):
        self.planned = swap

    def take_back(self, tensors):
        self.swap(tensors)

    def flush(self, count):
        self.log.append("flush")

    def call(self, tensors, shape):
        if self.planned:
            self.swap(tensors)
        self.log.append({None: "usual", False: "seen", True: "unseen"}[self.planned])
        self.planned, self.result = None, bytes(self.copies[id(tensors)])

    def digest(self, tensors):
        return self.result.hex()

    def poison(self, tensors):
        self.poisoned += 1

    def show(self, tensors):
        tensors["x"].buffer[:] = self.copies[id(tensors)]
        tensors["y"].buffer[:] = self.result

    def store(self, tensors):
        tensors["y"].buffer[:] = self.copies[id(tensors)]


class Pairs(unittest.TestCase):
    """Calls on inputs that nobody has seen, of a kernel whose inputs are on a device."""

    def take(self, again=(), **params):
        """again: what pawl says each time that a call has ended."""
        self.again = iter(again)
        self.kernel, self.arena = OnDevice(), bytearray(4096 + 64)
        self.connection = Connection()
        self.connection.await_hold, self.connection.end_hold = self.await_hold, self.end_hold
        self.held, self.shown = None, []
        methods = pawl_protocol._KernelMethods(self.kernel, self.connection)
        self.arena[4096:] = bytes(range(64))
        for first in (4096, 4096 + 32):
            methods.sets.append({name: pawl_protocol.Tensor(
                {"name": name, "role": role, "dtype": "f32", "size": [4], "fd": 5, "offset": offset, "bytes": 16},
                {5: self.arena}) for name, role, offset in (("x", "in", first), ("y", "out", first + 16))})
        self.inputs = [bytes(one["x"].buffer) for one in methods.sets]
        self.assertIn("unseen", methods.capabilities)
        return methods.time({"warmup": 0, "samples": 6, "cache": "cold", "flush_bytes": 64, "unseen": True, **params})

    def await_hold(self, hold, index):
        """Gives an unseen call new inputs, as pawl does."""
        self.kernel.log.append("hold" if hold else "wait")
        self.held = 4096 + 32 * index
        if hold:
            self.arena[self.held:self.held + 16] = bytes(16 * [200 + len(self.shown)])

    def end_hold(self, shown):
        """Keeps what is shown, and puts the usual inputs back."""
        self.kernel.log.append("end")
        self.shown.append(bytes(self.arena[self.held:self.held + 32]) if shown else None)
        self.arena[self.held:self.held + 16] = bytes(range(self.held - 4096, self.held - 4096 + 16))
        return next(self.again, False)

    def test_given_inputs_are_those_of_their_call_alone(self):
        for exchange in (True, False):
            answer = self.take(held=True, given=True, exchange=exchange)
            one, two = self.inputs
            hashes = answer["hashes"]
            self.assertEqual(hashes[::2], [one.hex(), two.hex(), one.hex()])
            self.assertEqual([len(set(bytes.fromhex(h))) for h in hashes[1::2]], [1, 1, 1])  # each of one new value
            self.assertEqual(len(set(hashes)), 5)
            self.assertEqual([bytes(tensors) for tensors in self.kernel.copies.values()], [one, two])
            self.assertEqual(bytes(self.arena[4096:4112] + self.arena[4128:4144]), one + two)

    def test_a_look_at_given_inputs_is_shown_before_they_are_taken_back(self):
        answer = self.take(held=True, given=True, look=1, again=[True, True])
        *_, last = shown = [one for one in self.shown if one]
        self.assertIn(len(shown), (1, 2, 3))  # the looked-at call can be one that is made again
        self.assertEqual((answer["looked"], last[:16]), (1, last[16:]))
        self.assertEqual(last[:16].hex(), answer["hashes"][3])

    def test_each_pair_has_a_call_on_inputs_that_have_just_changed(self):
        orders = set()
        for _ in range(40):
            answer = self.take()
            one, two = self.inputs
            swapped = [x[-4:] + x[4:-4] + x[:4] for x in (one, two)]
            self.assertEqual(answer["hashes"], [x.hex() for x in (one, swapped[0], two, swapped[1], one, swapped[0])])
            calls = [word for word in self.kernel.log if word not in ("drain", "flush")]
            self.assertEqual(calls[2:4] + calls[6:8] + calls[9:10] + calls[11:], ["usual"] * 6)  # behind each, of its set
            self.assertNotEqual(calls[:2], calls[4:6])
            orders.add(tuple(calls[:2]))
            self.assertEqual(self.kernel.log[:3], ["drain", "flush", calls[0]])
        self.assertEqual(len(orders), 4)  # drawn for each pair

    def test_a_look_shows_the_inputs_that_a_call_had(self):
        answer = self.take(look=1)
        self.assertEqual(answer["looked"], 1)
        one, two = self.inputs
        self.assertEqual(bytes(self.arena[4096:4112]), one)
        self.assertEqual(bytes(self.arena[4128:4144]), two[-4:] + two[4:-4] + two[:4])
        self.assertEqual(bytes(self.arena[4144:4160]), two[-4:] + two[4:-4] + two[:4])

    def test_held_calls(self):
        self.take(held=True)
        log = [word for word in self.kernel.log if word not in ("flush", "usual")]
        for i in range(0, len(log), 4):  # "drain" ends the work that was enqueued before
            self.assertIn(log[i:i + 4], (["hold", "drain", "unseen", "end"], ["wait", "drain", "seen", "end"]))
        self.assertEqual(log.count("hold"), 3)

    def test_a_call_whose_hold_did_not_last_is_made_again(self):
        plain = self.take(held=True)
        self.assertEqual(self.take(again=[True] * 5, held=True)["hashes"], plain["hashes"])
        first, *_ = log = [word for word in self.kernel.log if word != "flush"]
        call = [first, "drain", "unseen" if first == "hold" else "seen", "end"]
        self.assertEqual(log[:24], call * 6)
        self.assertEqual(self.kernel.poisoned, 12 + 5)  # each of three pairs with its calls behind, and five once more


class Timing(unittest.TestCase):
    def time(self, kernel, cache, role="out", **params):
        methods = pawl_protocol._KernelMethods(kernel, Connection())
        arenas = {5: bytearray(b"\x01" * 64)}
        for first in (0, 32):
            rows = [("x", "in", first), ("y", role, first + 16)]
            methods.sets.append({name: pawl_protocol.Tensor(
                {"name": name, "role": r, "dtype": "f32", "size": [4], "fd": 5, "offset": offset, "bytes": 16}, arenas)
                for name, r, offset in rows})
        answer = methods.time({"warmup": 3, "samples": 4, "cache": cache, "flush_bytes": 64, **params})
        self.assertEqual(len(answer["samples_ns"]), 4)
        self.assertEqual(len(set(answer["hashes"])), 1)
        self.assertEqual(arenas[5], b"\x01" * 64)  # the poisoned outputs are right again
        return answer

    def test_the_sets_that_are_used_are_read_and_written_and_no_others(self):
        class Moved(Copy):
            def __init__(self, sets):
                super().__init__()
                self.sets, self.log = sets, []

            def load(self, tensors):
                self.log.append(("load", self.sets.index(tensors)))

            def store(self, tensors):
                self.log.append(("store", self.sets.index(tensors)))

        for request, used in (({"warmup": 0, "samples": 8, "unseen": True, "first_set": 1}, [1, 2, 3, 0]),
                              ({"warmup": 0, "samples": 2, "unseen": True, "first_set": 3}, [3, 0]),
                              ({"warmup": 0, "samples": 1, "first_set": 2}, [2]),
                              ({"warmup": 0, "samples": 2, "first_set": 3}, [3, 0]),
                              ({"warmup": 3, "samples": 1, "first_set": 3}, [3, 0, 1]),
                              ({"warmup": 0, "samples": 9}, [0, 1, 2, 3])):
            arenas, sets = {5: bytearray(128)}, []
            for first in range(0, 128, 32):
                sets.append({name: pawl_protocol.Tensor(
                    {"name": name, "role": role, "dtype": "f32", "size": [4], "fd": 5, "offset": offset, "bytes": 16}, arenas)
                    for name, role, offset in (("x", "in", first), ("y", "out", first + 16))})
            kernel = Moved(sets)
            kernel.drain = kernel.take_back = kernel.exchange = lambda *_: None
            methods = pawl_protocol._KernelMethods(kernel, Connection())
            methods.sets = sets
            methods.time({"cache": "cold", "flush_bytes": 64, **request})
            self.assertEqual(kernel.log, [("load", i) for i in used] + [("store", i) for i in used])

    def test_each_sample_is_stamped_twice_and_nothing_else(self):
        connection = Connection()
        with unittest.mock.patch(f"{__name__}.Connection", lambda: connection):
            self.time(Copy(), "cold")
        self.assertEqual(connection.word[0], 2 * 4)

    def test_late_inputs_are_awaited_before_each_sample_alone(self):
        connection = Connection()
        with unittest.mock.patch(f"{__name__}.Connection", lambda: connection):
            self.time(Copy(), "cold", late=True)
        self.assertEqual(connection.awaited, (0, 2, 4, 6))  # each before the stamp at its begin
        self.assertEqual(connection.ended, (2, 4, 6, 8))  # each behind the stamp at its end

    def test_only_who_reads_inputs_in_place_takes_them_late(self):
        class Loads(Copy):
            def load(self, tensors):
                pass

        for kernel, takes in ((Copy(), True), (Clocked(), False), (Loads(), False)):
            self.assertEqual("late" in pawl_protocol._KernelMethods(kernel, Connection()).capabilities, takes)

    def test_waiting_for_inputs(self):
        arena = bytearray(4096)
        connection = pawl_protocol._Connection.__new__(pawl_protocol._Connection)
        connection._system, connection.arenas = pawl_protocol.ctypes.PyDLL(None), lambda fds: {5: arena}
        words = memoryview(arena).cast("I")
        words[64 // 4] = words[128 // 4] = 0xFFFFFFFF  # it wraps
        order = []

        def give():
            while words[64 // 4] != 0:
                time.sleep(0.001)
            order.append("given")
            words[128 // 4] = 0

        thread = threading.Thread(target=give)
        thread.start()
        connection.await_inputs()
        order.append("begun")
        thread.join()
        self.assertEqual(order, ["given", "begun"])

    def test_short_calls_are_batched_when_warm(self):
        kernel = Copy()
        answer = self.time(kernel, "warm")
        calls = answer["calls_per_sample"]
        self.assertTrue(2 <= calls <= 1024 and calls & (calls - 1) == 0, calls)
        self.assertEqual(kernel.calls, 3 + 4 * calls)
        self.assertEqual(answer["method"], "call")
        self.assertTrue(0 < min(answer["samples_ns"]) < 10000)

    def test_cold_calls_and_those_with_inouts_are_not(self):
        self.assertEqual(self.time(Copy(), "cold")["calls_per_sample"], 1)
        self.assertEqual(self.time(Copy(), "warm", role="inout")["calls_per_sample"], 1)

    def test_a_kernel_with_a_clock_of_its_own_batches_where_it_says_so(self):
        answer = self.time(Clocked(), "warm")
        self.assertEqual((answer["calls_per_sample"], answer["method"]), (1, "events"))
        kernel = Batching()
        answer = self.time(kernel, "warm")
        self.assertEqual(kernel.batches, (1024, 1024, 1024, 1024))  # 1 ms of calls of 100 ns would be more than the most
        self.assertEqual(answer["calls_per_sample"], 1024)
        self.assertEqual(answer["samples_ns"], [100.0] * 4)

    def test_a_delay_is_in_the_timed_calls_alone(self):
        kernel = Copy()
        for cache in ("cold", "warm"):
            answer = self.time(kernel, cache, delay_ns=2_000_000)
            self.assertGreaterEqual(min(answer["samples_ns"]), 2_000_000)
            self.assertEqual(answer["calls_per_sample"], 1)
            self.assertLess(min(self.time(kernel, cache)["samples_ns"]), 1_000_000)
        self.assertEqual(pawl_protocol._KernelMethods(kernel, Connection()).capabilities, ["run", "time", "stamps", "delay", "late"])
        self.assertEqual(pawl_protocol._KernelMethods(Clocked(), Connection()).capabilities, ["run", "time", "stamps"])
        with self.assertRaises(pawl_protocol.Unsupported):
            self.time(Clocked(), "cold", delay_ns=1000)


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
        yield
        self.captured = None

    def Stream(self):
        return types.SimpleNamespace(wait_stream=lambda _: None)

    def stream(self, _):
        return contextlib.nullcontext()

    def current_stream(self):
        pass

    def synchronize(self):
        self.host_ns = max(self.host_ns, self.device_ns)


class FakeKernel(pawl_torch.TorchKernel):
    """A call of 1000 ns on such a device."""

    name, operator = "fake", "fake"

    def __init__(self, cuda):
        self.torch = types.SimpleNamespace(cuda=cuda, Tensor=types.SimpleNamespace)
        self.dtypes, self.captures, self.delay_cycles, self.cycles_per_ns = {}, {}, 0, None
        self.cover = pawl_torch._Cover(cuda)

    def compute(self, tensors, shape):
        self.torch.cuda.pass_time(1000)
        return types.SimpleNamespace(fill_=lambda value: None)

    def poison(self, tensors):
        pass

    load = store = flush = lambda self, _: None

    def digest(self, tensors):
        return "0"


# pawl_sum_hash_add of src/base/sum_hash.h, by the length of the piece; its bytes are 200, 207, 214 ... mod 256
SUM_HASHES = {96: "7f13c03b06d69e578ac451dc1e55d202", 99: "60eb502cd72d384f59e7a845998a8429"}


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

    def test_a_delay_is_behind_every_call_of_the_graph(self):
        kernel = FakeKernel(FakeCuda())
        self.assertIn("delay", pawl_protocol._KernelMethods(kernel, Connection()).capabilities)
        capture = pawl_torch._Capture(kernel, {}, {})
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
        methods.sets = [{"y": types.SimpleNamespace(role="out")} for _ in range(2)]
        kernel.captures = {id(one): pawl_torch._Capture(kernel, {}, {}) for one in methods.sets}
        return methods.time({"warmup": 2, "samples": samples, "cache": cache, "flush_bytes": 64})

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
            methods.sets = [{"y": types.SimpleNamespace(role="out")} for _ in range(2)]
            kernel.captures = {id(one): pawl_torch._Capture(kernel, {}, {}) for one in methods.sets}
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
        first, second = mmap.mmap(-1, 4096), mmap.mmap(-1, 8192)
        pinned.hold(first)
        pinned.hold(first)
        self.assertEqual(log, [("pin", held[0], 4096, 0)])
        pinned.hold(second)
        self.assertEqual(log[1:], [("release", held[0]), ("pin", held[1], 8192, 0)])
        Driver.refuses = True
        pinned.hold(first)
        pinned.hold(second)  # nothing is pinned, so there is nothing to release
        self.assertEqual([entry[0] for entry in log[3:]], ["release", "pin", "pin"])

    def test_outputs_are_hashed_as_pawl_does(self):
        torch = types.SimpleNamespace(
            int64=None, tensor=Words, arange=lambda first, end, device: Words(range(first, end)),
            nn=types.SimpleNamespace(functional=types.SimpleNamespace(pad=lambda data, sides: Bytes(data + [0] * sides[1]))))
        data = [(7 * i + 200) % 256 for i in range(99)]
        for words in (1 << 22, 5):  # in one piece, in several
            with unittest.mock.patch.object(pawl_torch, "HASHED_WORDS", words):
                for length, expected in SUM_HASHES.items():
                    self.assertEqual(pawl_torch.sum_hash(Bytes(data[:length]), torch), expected)


if __name__ == "__main__":
    unittest.main()
