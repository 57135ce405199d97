# SPDX-License-Identifier: Apache-2.0
"""The six spaces that record.py measures. Each has the macros of the problem, and those fixed beside them; the
parameters with their values in order; the restrictions; how to launch; and how to check. Expressions are Python's
over these macros, the parameters and `multiprocessors`. The restrictions keep what makes sense; some of it fails, as
in any space: too much shared memory, or too many registers for a launch.

buffers: a number of 4-byte values, and what fills them: "float", "bytes", or None. arguments: buffers in the order of
the kernel's parameters. The output is poisoned before each check. With `launches`, that many follow each other within
a measurement: the first reads "source" and writes "target", each further one reads what the last wrote, and writes
"target" and "other" in turn. A `zeroed` output is 0 before each launch, outside the time. prepare: the arguments of a
kernel that completes the inputs.

reference: how many threads its kernel needs and how often it runs. A value is right within absolute + relative *
|reference|; integers must be equal.

change: what differs once the kernel has changed, as a pull request would (CHANGED in its code): the keys that are
others, and `inputs`: more buffers, which follow the other arguments. Its content has a seed, so that it is not like
an input before it."""


def product(*factors):
    return " * ".join(f"({factor})" for factor in factors)


SGEMM = {
    "name": "sgemm",
    "problem": {"SIZE": 1024},
    "fixed": {"unroll_k": 8},
    "parameters": {
        "threads_x": [8, 16, 32],
        "threads_y": [8, 12, 16, 32],
        "tile_x": [2, 4, 6, 8],
        "tile_y": [2, 4, 6, 8],
        "block_k": [8, 16, 32],
        "vector": [1, 2, 4],
        "padding": [0, 1],
        "buffers": [1, 2],
    },
    "restrictions": [
        "128 <= threads_x * threads_y <= 1024",
        "tile_x % vector == 0 and tile_y % vector == 0",
        "tile_x <= 2 * tile_y and tile_y <= 2 * tile_x",
        "48 <= threads_x * tile_x <= 256",
        "48 <= threads_y * tile_y <= 256",
    ],
    "block": ("threads_x", "threads_y"),
    "grid": ("-(-SIZE // (threads_x * tile_x))", "-(-SIZE // (threads_y * tile_y))"),
    "shared": "4 * buffers * block_k * (threads_x * tile_x + threads_y * tile_y + 8 * padding)",
    "buffers": {"a": ("SIZE * SIZE", "float"), "b": ("SIZE * SIZE", "float"), "c": ("SIZE * SIZE", None)},
    "arguments": ["a", "b", "c"],
    "output": "c",
    "reference": {"threads": "SIZE * SIZE", "times": 1},
    "absolute": 1e-3,
    "relative": 1e-4,
    # The sum has two more terms, both at most 1, and max() makes no error larger: the same limits.
    "change": {"inputs": {"d": ("SIZE * SIZE", "float", 1), "bias": ("SIZE", "float", 2)}},
}

HOTSPOT = {
    "name": "hotspot",
    "problem": {"SIZE": 4096, "STEPS": 12},
    "fixed": {"unroll_factor": 2},
    "parameters": {
        "block_size_x": [16, 32, 48, 64, 96, 128, 256],
        "block_size_y": [1, 2, 4, 8, 16, 32],
        "tile_size_x": [1, 2, 4],
        "tile_size_y": [1, 2, 4, 8],
        "steps": [1, 2, 3, 4, 6],
        "power_in_shared": [0, 1],
    },
    "restrictions": [
        "128 <= block_size_x * block_size_y <= 1024",
        "block_size_x * tile_size_x >= 2 * steps and block_size_y * tile_size_y >= 2 * steps",
        "block_size_x * tile_size_x * block_size_y * tile_size_y <= 32768",
    ],
    "block": ("block_size_x", "block_size_y"),
    "grid": ("-(-SIZE // (block_size_x * tile_size_x))", "-(-SIZE // (block_size_y * tile_size_y))"),
    "shared": product(
        "4 * (2 + power_in_shared)",
        "block_size_x * tile_size_x + 2 * steps",
        "block_size_y * tile_size_y + 2 * steps",
    ),
    "launches": "STEPS // steps",
    "buffers": {
        "power": ("SIZE * SIZE", "float"),
        "source": ("SIZE * SIZE", "float"),
        "target": ("SIZE * SIZE", None),
        "other": ("SIZE * SIZE", None),
    },
    "arguments": ["power", "source", "target"],
    "output": "target",
    "reference": {"threads": "SIZE * SIZE", "times": 12},
    "absolute": 1e-5,
    "relative": 1e-5,
    # The rate is at most the one before and has two roundings more, of 1e-7 each; a step does not enlarge errors: the
    # same limits.
    "change": {
        "inputs": {"conductivity": ("SIZE * SIZE", "float", 1)},
        "shared": product(
            "4 * (2 + 2 * power_in_shared)",
            "block_size_x * tile_size_x + 2 * steps",
            "block_size_y * tile_size_y + 2 * steps",
        ),
    },
}

SOFTMAX = {
    "name": "softmax",
    "problem": {"ROWS": 8192, "COLUMNS": 2048},
    "parameters": {
        "block_size_x": [32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024],
        "block_size_y": [1, 2, 4, 8],
        "vector": [1, 2, 4],
        "method": [0, 1, 2],
        "shuffle": [0, 1],
        "fast_exp": [0, 1],
        "unroll_factor": [1, 2, 4],
    },
    "restrictions": [
        "block_size_x * block_size_y <= 1024",
        "method > 0 or unroll_factor == 1",  # a loop over registers is always unrolled
        "unroll_factor == 1 or unroll_factor * block_size_x * vector <= COLUMNS",
    ],
    "block": ("block_size_x", "block_size_y"),
    "grid": ("ROWS // block_size_y", "1"),
    "buffers": {"in": ("ROWS * COLUMNS", "float"), "out": ("ROWS * COLUMNS", None)},
    "arguments": ["in", "out"],
    "output": "out",
    "reference": {"threads": "ROWS", "times": 1},
    "absolute": 1e-9,
    "relative": 1e-4,
    # A relative error of the softmax is an absolute one of its logarithm. Each row of the mask shows something.
    "change": {"inputs": {"mask": ("ROWS * COLUMNS // 4", "bytes", 1)}, "absolute": 1e-4, "relative": 0},
}

NBODY = {
    "name": "nbody",
    "problem": {"BODIES": 16384},
    "parameters": {
        "block_size_x": [32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024],
        "bodies": [1, 2, 3, 4, 6, 8],
        "tile_factor": [0, 1, 2],
        "unroll_factor": [1, 2, 4, 8, 16],
        "structs": [0, 1],
        "inverse_root": [0, 1],
    },
    "restrictions": [
        "block_size_x * bodies <= 1024",  # otherwise most multiprocessors have no block
        "bodies * unroll_factor <= 32",
    ],
    "block": ("block_size_x", "1"),
    "grid": ("-(-BODIES // (block_size_x * bodies))", "1"),
    "buffers": {"together": ("4 * BODIES", "float"), "apart": ("4 * BODIES", None), "out": ("4 * BODIES", None)},
    "arguments": ["together", "apart", "out"],
    "prepare": ["together", "apart"],
    "output": "out",
    "reference": {"threads": "BODIES", "times": 1},
    "absolute": 2e-5,
    "relative": 1e-4,
    # The potential is a sum of as many values, about -2; its roundings come to about 1e-5 of the 2e-4: the same limits.
    "change": {},
}

HISTOGRAM = {
    "name": "histogram",
    "problem": {"COUNT": 32 << 20},
    "parameters": {
        "block_size_x": [64, 96, 128, 192, 256, 384, 512, 768, 1024],
        "items": [1, 2, 4],
        "vector": [1, 4, 16],
        "copies": [1, 2, 4, 8, 16, 32],
        "merge": [0, 1, 2],
        "blocks_per_multiprocessor": [1, 2, 4, 8],
        "padding": [0, 1],
    },
    "restrictions": [
        "512 <= block_size_x * blocks_per_multiprocessor <= 2048",
        "copies <= block_size_x // 32",
        "padding == 0 or copies > 1",
        "merge != 1 or vector > 1",
        "items * vector >= 4",  # a byte a time is never worth it
        "items * vector <= 32",
    ],
    "block": ("block_size_x", "1"),
    "grid": ("blocks_per_multiprocessor * multiprocessors", "1"),
    "buffers": {"in": ("COUNT // 4", "bytes"), "out": ("256", None)},
    "arguments": ["in", "out"],
    "zeroed": True,
    "output": "out",
    "reference": {"threads": "COUNT", "times": 1},
    # All weights together are 3.2e9: no counter overflows.
    "change": {"inputs": {"weights": ("COUNT // 4", "bytes", 1)}},
}

STENCIL3D = {
    "name": "stencil3d",
    "problem": {"SIZE": 384},
    "fixed": {"unroll_factor": 3},
    "parameters": {
        "block_size_x": [16, 32, 48, 64, 96, 128],
        "block_size_y": [2, 4, 8, 12, 16, 32],
        "planes": [16, 64, 384],
        "vector": [1, 2, 4],
        "queue": [0, 1],
        "shared_plane": [0, 1],
        "padding": [0, 1],
        "min_blocks": [1, 2],
    },
    "restrictions": [
        "128 <= block_size_x * block_size_y <= 1024",
        "block_size_x * vector <= 256",
        "padding == 0 or shared_plane == 1",
        "block_size_x * block_size_y * min_blocks <= 2048",
    ],
    "block": ("block_size_x", "block_size_y"),
    "grid": ("-(-SIZE // (block_size_x * vector))", "-(-SIZE // block_size_y)", "-(-SIZE // planes)"),
    "buffers": {"in": ("(SIZE + 8) ** 3", "float"), "out": ("(SIZE + 8) ** 3", None)},
    "arguments": ["in", "out"],
    "output": "out",
    "reference": {"threads": "(SIZE + 8) ** 3", "times": 1},
    "absolute": 1e-4,
    "relative": 1e-4,
    # The Laplacian counts a tenth, and so do its errors; what is added to it is at most 3, and rounded to 5e-7.
    "change": {"inputs": {"previous": ("(SIZE + 8) ** 3", "float", 1)}, "absolute": 1e-5, "relative": 1e-5},
}


def changed(space):
    """The space of the changed kernel: the same configurations. `kernel` names its file and function."""
    inputs = space["change"].get("inputs", {})
    more = {"buffers": {**space["buffers"], **inputs}, "arguments": [*space["arguments"], *inputs]}
    return {**space, **more, **space["change"], "name": f"{space['name']}_changed", "kernel": space["name"]}


SPACES = [SGEMM, HOTSPOT, SOFTMAX, NBODY, HISTOGRAM, STENCIL3D]
CHANGED = [changed(space) for space in SPACES]
