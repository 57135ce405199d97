# SPDX-License-Identifier: Apache-2.0
"""Correctness of a plug-in against an FP64 oracle computed on the GPU from the same inputs."""
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

TOLERANCES = {torch.float16: (2e-3, 1e-3, 4e-4), torch.bfloat16: (1.6e-2, 8e-3, 3.2e-3),
              torch.float32: (2e-5, 2e-5, 1e-5), torch.float8_e4m3fn: (1e-1, 1e-1, 4e-2)}
OUTSIDE = []  # shapes of the answers that were outside the tolerance and judged by a reference
GUARD = 4096  # elements of canary on each side of the output
FUZZ = [(b, h, s, 64, False) for s in (448, 512, 640) for b in (16, 32, 48) for h in (4, 8, 16)]
EDGES = [(b, h, s, d, c) for (b, h) in ((1, 1), (2, 3)) for d in (64, 128) for c in (False, True)
         for s in (1, 2, 7, 16, 63, 64, 65, 127, 128, 129, 191, 200, 255, 256, 257, 333, 448, 511, 577, 1000, 1025, 2047)]
EDGES += [(40, 16, 130, 64, True), (33, 16, 300, 128, True), (64, 16, 64, 64, False), (7, 31, 700, 128, False)]
# The host deals these units to the blocks of threads, in several groups of heads, except those of the last two.
EDGES += [(32, 8, 448, 128, True), (16, 16, 640, 128, True), (3, 7, 3333, 64, True), (4, 16, 2500, 128, True)]
EDGES += [(64, 16, 1100, 64, True), (1, 2, 640, 128, True)]
LONG_F8 = [(1, 2, s, d, c) for s in (8192, 8193, 16384, 32768) for d in (64, 128) for c in (False, True)]
GROUPED = [(b, h, kv, s, d, c) for (b, h, kv) in ((1, 1, 1), (2, 4, 2), (3, 8, 8), (2, 32, 8), (17, 16, 8)) for d in (64, 128)
           for c in (False, True) for s in (1, 64, 65, 200, 257, 511, 1025)]
GROUPED += [(32, 32, 8, 1100, 64, True), (8, 64, 8, 2048, 128, True)]  # the first: more units than lists hold

# On 132 multiprocessors sdpa_hopper splits the keys of the last round of these: with and without full rounds before
# it, whole and cut units, 2 to 8 parts, one batch and several, a last tile of one key.
SPLITS = [(*c, 128, False) for c in ((1, 1, 1000), (1, 1, 1025), (2, 1, 1537), (1, 2, 2047), (3, 1, 2111), (2, 8, 2049),
                                     (1, 8, 4032), (1, 8, 4096), (3, 5, 4095), (8, 8, 2048))]


def generator(seed):
    return torch.Generator(device="cuda").manual_seed(seed)


def normal(shape, dtype, seed, scale=1.0):
    return (torch.randn(shape, generator=generator(seed), device="cuda") * scale).to(dtype)


def output_dtype(dtype):
    return torch.float16 if dtype == torch.float8_e4m3fn else dtype


def inputs(name, shape, dtype, seed):
    """q, k, v of one named distribution; the names are the operator's (kernels/attention/operator.c) and two more."""
    if dtype == torch.float8_e4m3fn:  # torch holds this type and has no operations on it
        return tuple(t.clamp(-448, 448).to(dtype) for t in inputs(name, shape, torch.float32, seed))
    b, h, s, d = shape
    q, k, v = (normal(shape, dtype, seed + i) for i in range(3))
    if name == "normal":
        return q, k, v
    if name in ("normal_x3", "normal_x30"):
        scale = 3.0 if name == "normal_x3" else 30.0
        return tuple(normal(shape, dtype, seed + i, scale) for i in range(3))
    if name == "dominant_late_key":
        q[..., 0] = 4.0
        for head in range(b * h):
            late = s - 1 - (seed + head * 7) % (1 + s // 8)
            k.view(b * h, s, d)[head, late, 0] = (math.log(s) + 6.0) * math.sqrt(d) / 4.0
    elif name == "attention_sink":
        q[..., 0] = 4.0
        k[..., 0, 0] = 12.0 * math.sqrt(d) / 4.0
    elif name == "rising_maxima":
        q[..., 0] = 4.0
        k[..., 0] = (24.0 * torch.arange(s, device="cuda") / s * math.sqrt(d) / 4.0).to(dtype)
    elif name == "steep_maxima":  # rises by 240: every tile's weights overflow under the shift of the one before
        q[..., 0] = 16.0
        k[..., 0] = (240.0 * torch.arange(s, device="cuda") / s * math.sqrt(d) / 16.0).to(dtype)
    elif name == "constant_rows":
        q, k, v = (normal((b, h, s, 1), dtype, seed + i).expand(shape).contiguous() for i in range(3))
    elif name == "zero_one":
        q, k, v = (torch.randint(0, 2, shape, generator=generator(seed + i), device="cuda").to(dtype) for i in range(3))
    else:
        raise ValueError(name)
    return q, k, v


DISTRIBUTIONS = ("normal", "normal_x3", "normal_x30", "dominant_late_key", "attention_sink", "rising_maxima",
                 "steep_maxima", "constant_rows", "zero_one")


BEYOND_F8 = ("normal_x30", "steep_maxima")  # scores so large that FP8 products cut off what decides


def oracle(q, k, v, causal):
    """softmax(q k^T / sqrt(D)) v in FP64, a few heads at a time."""
    b, h, s, d = q.shape
    flat = [t.reshape(b * h, s, d) for t in (q, k, v)]
    out = torch.empty(b * h, s, d, dtype=torch.float64, device="cuda")
    chunk = max(1, (1 << 27) // (s * s))
    above = torch.ones(s, s, dtype=torch.bool, device="cuda").triu(1) if causal else None
    for first in range(0, b * h, chunk):
        qc, kc, vc = (t[first:first + chunk].double() for t in flat)
        scores = qc @ kc.transpose(1, 2) / math.sqrt(d)
        if causal:
            scores.masked_fill_(above, -math.inf)
        out[first:first + chunk] = torch.softmax(scores, dim=-1) @ vc
    return out.view(b, h, s, d)


def rounded_reference(q, k, v, causal):
    """The formula with weights rounded to the inputs' type, for the types that torch does not multiply."""
    q32, k32, v32 = (t.float() for t in (q, k, v))
    scores = q32 @ k32.transpose(2, 3) / math.sqrt(q.shape[3])
    if causal:
        scores.masked_fill_(torch.ones(scores.shape[2:], dtype=torch.bool, device="cuda").triu(1), -math.inf)
    weights = (16 * torch.exp(scores - scores.amax(dim=-1, keepdim=True))).to(q.dtype).float()
    return (weights @ v32 / weights.sum(dim=-1, keepdim=True)).to(output_dtype(q.dtype))


def bits(t):
    return t.view(torch.uint8) if t.dtype == torch.float8_e4m3fn else t


def errors(out, expected):
    difference = out.double() - expected
    if not bool(torch.isfinite(difference).all()):
        return math.inf, math.inf
    rel_rms = (difference.norm() / expected.norm()).item()
    return difference.abs().max().item(), rel_rms


def passes(out, expected, dtype, reference=None):
    """(verdict, max error, relative RMS error). Where the type itself cannot meet the absolute bound (large inputs), the
    bound is twice the error of `reference`, the same formula computed by the framework in that type."""
    atol, rtol, rel_rms_bound = TOLERANCES[dtype]
    largest, rel_rms = errors(out, expected)
    within = bool(((out.double() - expected).abs() <= atol + rtol * expected.abs()).all())
    good = within and rel_rms <= rel_rms_bound
    if not good and reference is not None:
        OUTSIDE.append(tuple(out.shape))
        reference_largest, reference_rms = errors(reference, expected)
        good = largest <= 2 * reference_largest and rel_rms <= 2 * reference_rms
    return good, largest, rel_rms


class Case:
    """One case's buffers: the output lies between canaries and is poisoned with NaN before each call."""

    def __init__(self, plugin, q, k, v, causal):
        n = q.numel()
        self.raw = torch.full((n + 2 * GUARD,), 12345.0, device="cuda").to(output_dtype(q.dtype))
        self.canary = self.raw[:GUARD].clone()
        self.out = self.raw[GUARD:GUARD + n].view(q.shape)
        self.inputs = (q, k, v)
        self.before = [t.clone() for t in self.inputs]
        self.call = plugin.prepare(q, k, v, self.out, causal)

    def run(self):
        self.out.fill_(float("nan"))
        self.call()
        torch.cuda.synchronize()
        intact = torch.equal(self.raw[:GUARD], self.canary) and torch.equal(self.raw[-GUARD:], self.canary)
        if not intact:
            raise RuntimeError("wrote outside its output")
        if not all(torch.equal(bits(a), bits(b)) for a, b in zip(self.inputs, self.before)):
            raise RuntimeError("changed its inputs")
        return self.out


def check_one(plugin, shape, causal, dtype, distribution, seed):
    q, k, v = inputs(distribution, shape, dtype, seed)
    out = Case(plugin, q, k, v, causal).run()
    expected = oracle(q, k, v, causal)
    reference = None
    if distribution in ("normal_x3", "normal_x30", "steep_maxima", "zero_one", "rising_maxima", "dominant_late_key",
                        "constant_rows"):
        if dtype == torch.float8_e4m3fn:
            return passes(out, expected, dtype, rounded_reference(q, k, v, causal))
        with sdpa_kernel(SDPBackend.MATH):
            reference = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return passes(out, expected, dtype, reference)


def run_cases(plugin, title, cases, required=True):
    """cases: (shape, causal, dtype, distribution). Prints one line; returns the number of failures. A title of which the
    plug-in takes no case fails when it is `required`."""
    failures, count, worst_max, worst_rms, refused = 0, 0, 0.0, 0.0, 0
    OUTSIDE.clear()
    for index, (shape, causal, dtype, distribution) in enumerate(cases):
        if plugin.refuses(*shape, causal, dtype):
            refused += 1
            continue
        count += 1
        try:
            good, largest, rel_rms = check_one(plugin, shape, causal, dtype, distribution, 1000 + index)
        except RuntimeError as error:
            if "CUDA error" in str(error):
                raise
            good, largest, rel_rms = False, math.nan, math.nan
            print(f"    {shape} {error}")
        worst_max, worst_rms = max(worst_max, largest), max(worst_rms, rel_rms)
        if not good:
            failures += 1
            if failures <= 12:
                print(f"    FAIL {shape} causal={int(causal)} {dtype} {distribution}: max {largest:.3g} rel-RMS {rel_rms:.3g}")
    print(f"  {title:<32} {count - failures}/{count} passed, {refused} refused; worst max {worst_max:.3g}, "
          f"rel-RMS {worst_rms:.3g}" + (f"; {len(OUTSIDE)} judged by a reference" if OUTSIDE else ""))
    return failures + (required and count == 0)


def fuzz(plugin):
    return run_cases(plugin, "fuzz matrix f16", [(c[:4], c[4], torch.float16, "normal") for c in FUZZ])


def edges(plugin, dtypes=(torch.float16, torch.bfloat16)):
    failures = sum(run_cases(plugin, f"edge shapes {str(t)[6:]}", [(c[:4], c[4], t, "normal") for c in EDGES])
                   for t in dtypes)
    small = [c for c in EDGES if c[2] <= 333] + [(2, 2, s, d, True) for s in (1, 65, 300) for d in (1, 7, 80, 256)]
    return failures + run_cases(plugin, "edge shapes float32", [(c[:4], c[4], torch.float32, "normal") for c in small],
                                required=False)


def distributions(plugin, dtypes=(torch.float16, torch.bfloat16)):
    shapes = [((2, 4, 448, 64), False), ((2, 4, 512, 64), False), ((2, 4, 640, 64), True), ((16, 4, 448, 64), False),
              ((16, 4, 640, 64), False), ((1, 4, 700, 128), False),
              ((1, 4, 512, 128), True)]
    return sum(run_cases(plugin, f"{name} {str(t)[6:]}", [(s, c, t, name) for s, c in shapes])
               for t in dtypes for name in DISTRIBUTIONS
               if t != torch.float8_e4m3fn or name not in BEYOND_F8)


def strided(kind, shape, dtype, seed):
    """A normal [B, H, S, D] tensor that is no dense one."""
    b, h, s, d = shape
    data = normal((b, s, h, d + 16), torch.float32, seed).to(dtype)
    if kind == "rows padded":
        return data.view(b, h, s, d + 16)[..., :d]
    if kind == "[B, S, H, D]":
        return data[..., :d].contiguous().transpose(1, 2)
    if kind == "[S, B, H, D] padded":
        return data.view(s, b, h, d + 16)[..., :d].permute(1, 2, 0, 3)
    if kind == "of one element off":
        return data.view(b, h, s, d + 16)[..., 1:d + 1]
    raise ValueError(kind)


def strides(plugin, dtype=torch.float16):
    """Tensors that are not dense: each is computed right or refused by the launch, and what has not the alignment that
    copies need is refused."""
    failures = 0
    for kind in ("rows padded", "[B, S, H, D]", "[S, B, H, D] padded", "of one element off"):
        right = refused = 0
        for shape, causal in (((2, 3, 130, 64), False), ((3, 4, 512, 64), True), ((2, 5, 200, 128), True),
                              ((2, 1, 1537, 128), False)):
            q, k, v, o = (strided(kind, shape, t, i) for i, t in enumerate((dtype, dtype, dtype, output_dtype(dtype))))
            o.fill_(float("nan"))
            try:
                plugin.prepare(q, k, v, o, causal)()
            except RuntimeError:
                refused += 1
                continue
            torch.cuda.synchronize()
            good, largest, rel_rms = passes(o, oracle(q, k, v, causal), dtype)
            right += good
            if not good:
                failures += 1
                print(f"    FAIL {shape} {kind}: max {largest:.3g} rel-RMS {rel_rms:.3g}")
        failures += kind == "of one element off" and refused < 4
        print(f"  strides: {kind:<24} {right} right, {refused} refused")
    return failures


def split(plugin):
    """Launches whose last round is split along the keys: every distribution, tensors that are not dense, the same bits
    each time, and two launches at once on two streams."""
    cases = [c for c in SPLITS if plugin.splits(*c, torch.float16)]
    print(f"  {len(cases)} of {len(SPLITS)} shapes split")
    if not cases:
        return 0
    failures = 0
    for dtype in (torch.float16, torch.bfloat16):
        failures += run_cases(plugin, f"split shapes {str(dtype)[6:]}", [(c[:4], c[4], dtype, "normal") for c in cases])
        for name in DISTRIBUTIONS:
            failures += run_cases(plugin, f"split, {name} {str(dtype)[6:]}",
                                  [((2, 1, 1537, 128), False, dtype, name), ((1, 1, 1025, 128), False, dtype, name)])
    failures += repeats(plugin, (2, 1, 1537, 128)) + repeats(plugin, (8, 8, 2048, 128), torch.bfloat16, 200)
    return failures + two_streams(plugin)


def two_streams(plugin, shapes=((2, 1, 1537, 128), (1, 8, 4096, 128)), count=200):
    """Launches of two streams at once, whose workspaces must not meet."""
    cases = [Case(plugin, *inputs("normal", shape, torch.float16, 11 + i), False) for i, shape in enumerate(shapes)]
    expected = [case.run().clone().view(torch.int16) for case in cases]
    streams = [torch.cuda.Stream() for _ in cases]
    different = torch.zeros(len(cases), dtype=torch.int64, device="cuda")
    torch.cuda.synchronize()
    for _ in range(count):
        for i, case in enumerate(cases):
            with torch.cuda.stream(streams[i]):
                case.out.fill_(float("nan"))
                case.call()
                different[i] += (case.out.view(torch.int16) != expected[i]).any()
    torch.cuda.synchronize()
    print(f"  {count} launches on each of two streams: {different.tolist()} differ")
    return int(different.sum().item() != 0)


def repeats(plugin, shape=(32, 8, 512, 64), dtype=torch.float16, count=1000, causal=False):
    q, k, v = inputs("normal", shape, dtype, 7)
    case = Case(plugin, q, k, v, causal)
    first = case.run().clone().view(torch.int16)
    different = torch.zeros((), dtype=torch.int64, device="cuda")
    for _ in range(count):
        case.call()
        different += (case.out.view(torch.int16) != first).any()
    print(f"  {count} repeated launches of {shape} causal={int(causal)}: {different.item()} differ")
    return int(different.item() != 0)


def grouped_oracle(q, k, v, lengths, causal):
    """`oracle` answers for the first `length` queries and keys of each batch row; the outputs behind them are 0."""
    out = torch.zeros(q.shape, dtype=torch.float64, device="cuda")
    for row, length in enumerate(lengths):
        if length:
            part = (t[row:row + 1, :, :length].repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (q, k, v))
            out[row, :, :length] = oracle(*part, causal)[0]
    return out


def grouped(plugin):
    """The kernel of grouped_attention: heads of keys for several heads of queries, and a length of each batch row."""
    failures, worst = 0, 0.0
    for index, (b, h, kv, s, d, causal) in enumerate(GROUPED):
        dtype = torch.bfloat16 if s == 65 else torch.float16
        q, k, v = (normal((b, heads, s, d), dtype, index + i) for i, heads in enumerate((h, kv, kv)))
        lengths = [(0, s, 1, min(s, 64), min(s, 65), s // 2)[(index + i) % 6] for i in range(b)]
        raw = torch.full((q.numel() + 2 * GUARD,), 12345.0, device="cuda").to(dtype)
        out = raw[GUARD:-GUARD].view(q.shape).fill_(float("nan"))
        plugin.prepare(q, k, v, out, causal, torch.tensor(lengths, dtype=torch.int32, device="cuda"))()
        torch.cuda.synchronize()
        intact = bool((torch.cat((raw[:GUARD], raw[-GUARD:])) == raw[0]).all()) and raw[0].item() != 0
        expected = grouped_oracle(q, k, v, lengths, causal)
        good, largest, rel_rms = passes(out, expected, dtype) if any(lengths) else (not out.any(), 0.0, 0.0)
        worst = max(worst, rel_rms if dtype == torch.float16 else 0.0)
        if not (good and intact):
            failures += 1
            print(f"    FAIL {(b, h, kv, s, d)} causal={int(causal)} lengths {lengths}: max {largest:.3g} rel-RMS {rel_rms:.3g}")
    print(f"  grouped heads and lengths: {len(GROUPED) - failures}/{len(GROUPED)} passed; rel-RMS of float16 {worst:.3g}")
    return failures
