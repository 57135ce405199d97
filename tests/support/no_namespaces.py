# SPDX-License-Identifier: Apache-2.0
"""A machine without namespaces."""

import ctypes
import os
import struct

UNSHARE = {"x86_64": 272, "aarch64": 97}[os.uname().machine]


def forbid_namespaces():
    """As the filter of a container does: unshare(2) fails with EPERM."""
    code = b"".join(struct.pack("HBBI", *line) for line in (
        (0x20, 0, 0, 0), (0x15, 0, 1, UNSHARE), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)))
    text = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(text)))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
        os._exit(99)
