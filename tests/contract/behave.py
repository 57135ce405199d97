# SPDX-License-Identifier: Apache-2.0
"""A kernel `scale` (y = 2 x) over the protocol, or a one-shot command, that behaves as its last argument says."""
import os
import signal
import struct
import sys
import time

import pawl_protocol

BEHAVIOUR = sys.argv[-1]


def misbehave():
    """Behaves as the plug-in of the same name in tests/plugins/hostile."""
    if BEHAVIOUR == "segfault":
        print("about to fall", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    elif BEHAVIOUR == "abort":
        os.abort()
    elif BEHAVIOUR == "exit_zero":
        os._exit(0)
    elif BEHAVIOUR == "exit_three":
        print("no such thing", flush=True)
        os._exit(3)
    elif BEHAVIOUR == "hang":
        time.sleep(60)
    elif BEHAVIOUR == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif BEHAVIOUR == "prints":
        for stream in (sys.stdout, sys.stderr):
            stream.write("a line of sixty-four bytes, again and again and again and again\n" * (1 << 14))
            stream.flush()
    elif BEHAVIOUR == "allocates":
        blocks = []
        while True:
            blocks.append(b"x" * (1 << 24))
    elif BEHAVIOUR == "forks":
        for _ in range(10):
            if os.fork() == 0:
                time.sleep(60)
        os.abort()
    elif BEHAVIOUR == "sees_secret":
        if "PAWL_TEST_TOKEN" in os.environ or "PAWL_TEST_SECRET" in os.environ:
            raise RuntimeError("a secret is in the environment")
    elif BEHAVIOUR == "error_number":
        raise RuntimeError("launch failed")


class Scale(pawl_protocol.Kernel):
    name, operator, deterministic = "scale_py", "scale", True

    def supports(self, shape):
        return "n must not be 7" if shape["n"] == 7 else None

    def can_delay(self):
        return BEHAVIOUR != "cannot_delay" and super().can_delay()

    last, slow = 0, 0

    def call(self, tensors, shape):
        if BEHAVIOUR == "rested":  # the first calls after a rest take long
            begin = time.perf_counter_ns()
            self.slow = 4 if begin - self.last > 2_000_000 else self.slow
            while self.slow and time.perf_counter_ns() - begin < 100_000:
                pass
            self.slow = max(self.slow - 1, 0)
            self.last = time.perf_counter_ns()
            return
        if BEHAVIOUR == "accumulates":
            tensors["y"].write(x + y for x, y in zip(tensors["x"].values(), tensors["y"].values()))
            return
        tensors["y"].write(2 * x for x in tensors["x"].values())
        misbehave()


def send(text, length=None):
    os.write(4, struct.pack("<I", len(text) if length is None else length) + text)


HELLO = b'{"pawl": 1, "role": "kernel", "capabilities": []}'
# The worker sends one of these in place of a right answer to a request. It then waits until pawl kills it.
ANSWERS = {
    "not_json": lambda: send(b"{{{"),
    "not_an_object": lambda: send(b"[1]"),
    "bad_utf8": lambda: send(b'{"id": 1, "result": {"ns": "\xff\xfe"}}'),
    "wrong_id": lambda: send(b'{"id": 77, "result": {}}'),
    "no_result": lambda: send(b'{"id": 1}'),
    "result_of_wrong_type": lambda: send(b'{"id": 1, "result": 3}'),
    "error_without_message": lambda: send(b'{"id": 1, "error": {}}'),
    "too_long": lambda: send(b"{", 1 << 31),
    "empty_frame": lambda: send(b""),
    "partial_frame": lambda: send(b'{"id": 1,', 100),
    "negative_ns": lambda: send(b'{"id": 1, "result": {"ns": -5}}'),
    "nan_ns": lambda: send(b'{"id": 1, "result": {"ns": NaN}}'),
    "huge_ns": lambda: send(b'{"id": 1, "result": {"ns": 1e18}}'),
    "duplicate_keys": lambda: send(b'{"id": 1, "id": 1, "result": {"ns": 1}}'),
    "deep": lambda: send(b'{"id": 1, "result":' + b"[" * 100000 + b"]" * 100000 + b"}"),
    "closes": lambda: os.close(4),
    "dies_in_frame": lambda: (send(b'{"id": 1,', 100), os._exit(5)),
}
# "standing" of the answer to `time`, after the hash "aa" of its one call.
STANDING = {"standing_same": b'["aa"]', "standing_other": b'["ab"]', "standing_short": b"[]"}
HELLOS = {
    "hello_bad_version": b'{"pawl": 9, "role": "kernel"}',
    "hello_bad_role": b'{"pawl": 1, "role": "operator"}',
    "hello_nonsense": b'"good morning"',
}


def main():
    if "command" in sys.argv:
        misbehave()
    elif BEHAVIOUR == "hello_refusal":
        pawl_protocol.refuse("no torch here")
    elif BEHAVIOUR in HELLOS:
        send(HELLOS[BEHAVIOUR])
        time.sleep(60)
    elif BEHAVIOUR == "hello_never":
        time.sleep(60)
    elif BEHAVIOUR == "hello_exit":
        sys.exit("cannot import something")
    elif BEHAVIOUR in ANSWERS:
        send(HELLO)
        os.read(3, 65536)
        ANSWERS[BEHAVIOUR]()
        time.sleep(60)
    elif BEHAVIOUR in STANDING:
        send(HELLO)
        os.read(3, 65536)
        send(b'{"id": 1, "result": {"supported": true}}')
        os.read(3, 65536)
        send(b'{"id": 2, "result": {"samples_ns": [1], "hash": "xxh3", "hashes": ["aa"], "standing": ' +
             STANDING[BEHAVIOUR] + b"}}")
        time.sleep(60)
    else:
        pawl_protocol.serve(Scale())


main()
