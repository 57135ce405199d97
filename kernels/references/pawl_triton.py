# SPDX-License-Identifier: Apache-2.0
"""The choices and the machine code of Triton in this process, for the environment of the results. They are information: a
script could tell something else, so no verdict depends on them."""

import gc
import hashlib
import struct
import sys


def instances(module, name):
    kind = getattr(sys.modules.get(module), name, None)
    return [one for one in gc.get_referrers(kind) if isinstance(one, kind)] if kind else []


def autotuned():
    """The configurations that Triton's own autotuners chose for their last calls: "softmax: BLOCK: 1024, num_warps: 8"."""
    return "; ".join(sorted("%s: %s" % (one.base_fn.__name__, one.best_config)
                            for one in instances("triton.runtime.autotuner", "Autotuner") if hasattr(one, "best_config")))


def code_of(cubin):
    """The instructions and constants of a cubin, without paths, lines and build ids: the same source gives the same."""
    first, size, count, names = struct.unpack_from("<Q10xHHH", cubin, 40)
    sections = [struct.unpack_from("<IIQQQQ", cubin, first + i * size) for i in range(count)]
    table = sections[names][4]
    found = []
    for name, _, _, _, begin, length in sections:
        name = cubin[table + name : cubin.index(b"\0", table + name)]
        if name.startswith((b".text.", b".nv.constant")):
            found.append((name, cubin[begin : begin + length]))
    return sorted(found)


def machine_code(launched):
    """The functions that were launched: "softmax: 32 registers, 0 spills, 16 bytes shared, 4 warps, code 1f2e3d4c5b6a7988"."""
    rows = set()
    for one in instances("triton.compiler.compiler", "CompiledKernel"):
        name, cubin = getattr(one, "name", ""), getattr(one, "asm", {}).get("cubin")
        if not cubin or name + "<<<" not in launched or getattr(one, "n_regs", None) is None:
            continue  # another back end, or it never ran
        code = hashlib.sha256(repr(code_of(cubin)).encode()).hexdigest()[:16]
        rows.add("%s: %s registers, %s spills, %s bytes shared, %s warps, code %s" % (
            name, one.n_regs, one.n_spills, one.metadata.shared, one.metadata.num_warps, code))
    return "; ".join(sorted(rows))
