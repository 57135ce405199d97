# SPDX-License-Identifier: Apache-2.0
"""PyTorch's scaled_dot_product_attention, by the backend of its choice or by one of them, as a reference of the operator
`attention`: protocol: [python3, torch_sdpa.py, --backend, cudnn]. flash-attn's and xFormers' own calls too."""

import argparse
import contextlib
import sys

import pawl_torch

BACKENDS = {
    "default": None,
    "flash": "FLASH_ATTENTION",
    "cudnn": "CUDNN_ATTENTION",
    "mem-efficient": "EFFICIENT_ATTENTION",
    "math": "MATH",
}
PACKAGES = {"flash-attn": "flash_attn", "xformers": "xformers.ops"}  # their calls take [B, S, H, D]


class TorchSdpa(pawl_torch.TorchKernel):
    operator, deterministic = "attention", False

    def __init__(self, backend):
        super().__init__()
        self.backend = backend
        self.name = "torch_sdpa_" + backend.replace("-", "_")

    def environment(self):
        package = PACKAGES.get(self.backend, "torch").partition(".")[0]
        versions = {package: sys.modules[package].__version__} if package != "torch" else {}
        return {**super().environment(), "backend": self.backend, **versions}

    def supports(self, shape):
        if shape["dtype"] not in ("f16", "bf16", "f32"):
            return "dtype %s is not supported" % shape["dtype"]
        size, dtype = [shape[name] for name in "BHSD"], self.dtypes[shape["dtype"]]
        self.captures = {}  # their memory is free again
        return self.why_not(lambda: self.compute(
            {name: self.torch.zeros(size, dtype=dtype, device="cuda") for name in "qkv"}, shape))

    def compute(self, tensors, shape):
        q, k, v = (tensors[name] for name in "qkv")
        causal = bool(shape.get("causal", 0))
        if self.backend in PACKAGES:
            return self.package_call(*(t.transpose(1, 2) for t in (q, k, v)), causal).transpose(1, 2)
        attention, name = self.torch.nn.attention, BACKENDS[self.backend]
        chosen = attention.sdpa_kernel(getattr(attention.SDPBackend, name)) if name else contextlib.nullcontext()
        with chosen:
            return self.torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    def package_call(self, q, k, v, causal):
        if self.backend == "flash-attn":
            import flash_attn

            return flash_attn.flash_attn_func(q, k, v, causal=causal)
        import xformers.ops

        mask = xformers.ops.LowerTriangularMask() if causal else None
        return xformers.ops.memory_efficient_attention(q, k, v, attn_bias=mask)


def main(words):
    parser = argparse.ArgumentParser(description="PyTorch's scaled_dot_product_attention for pawl")
    parser.add_argument("--backend", choices=[*BACKENDS, *PACKAGES], default="default")
    backend = parser.parse_args(words).backend
    pawl_torch.serve(TorchSdpa, backend, needs=[PACKAGES[backend]] if backend in PACKAGES else [])


if __name__ == "__main__":
    main(sys.argv[1:])
