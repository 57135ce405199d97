#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How pawl_protocol.py times: which calls are batched, and what is said of it. PYTHONPATH names its folder."""

import os
import threading
import time
import types
import unittest
import unittest.mock

import pawl_protocol


class Pages(unittest.TestCase):
    def test_a_gpu_gets_new_pages_where_pawl_took_the_old_ones(self):
        """pawl_torch pins each mapping once."""
        connection = object.__new__(pawl_protocol._Connection)
        connection._arenas, connection._emptied = {}, 0
        memory = os.memfd_create("arena")
        self.addCleanup(os.close, memory)
        os.ftruncate(memory, 4096)
        first = connection.arenas({memory})[memory]
        self.assertIs(connection.arenas({memory}, 0)[memory], first)
        second = connection.arenas({memory}, 1)[memory]
        self.assertIsNot(second, first)
        self.assertIs(connection.arenas({memory})[memory], second)
        self.assertIs(connection.arenas({memory}, 1)[memory], second)


class Connection:
    def __init__(self):
        self.stamp = memoryview(bytearray(4)).cast("I")

    def word(self, byte):
        return self.stamp

    def await_inputs(self):
        self.awaited = getattr(self, "awaited", ()) + (self.stamp[0],)

    def wake(self):
        self.ended = getattr(self, "ended", ()) + (self.stamp[0],)


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
        self.assertEqual(connection.stamp[0], 2 * 4)

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


if __name__ == "__main__":
    unittest.main()
