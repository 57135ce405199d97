# SPDX-License-Identifier: Apache-2.0
"""PyTorch's scaled_dot_product_attention, by the backend of its choice or by one of them, as a reference of the operator
`attention`: protocol: [python3, torch_sdpa.py, --backend, cudnn]. The calls of other packages too."""

import argparse
import contextlib
import importlib.metadata
import sys

import pawl_torch

BACKENDS = {
    "default": None,
    "flash": "FLASH_ATTENTION",
    "cudnn": "CUDNN_ATTENTION",
    "mem-efficient": "EFFICIENT_ATTENTION",
    "math": "MATH",
}
PACKAGES = {  # the module, and the package that has its version; None: PyTorch's own
    "flash-attn": ("flash_attn", "flash-attn"),
    "flash-attn-3": ("flash_attn_interface", "flash-attn-3"),
    "flash-attn-4": ("flash_attn.cute", "flash-attn-4"),
    "xformers": ("xformers.ops", "xformers"),
    "cudnn-frontend": ("cudnn", "nvidia-cudnn-frontend"),
    "flex": ("torch.nn.attention.flex_attention", None),
}
ROWS_FIRST = "flash-attn", "flash-attn-3", "flash-attn-4", "xformers"  # their users have tensors [B, S, H, D]
OF_E4M3 = "flash-attn-3", "cudnn-frontend"


class TorchSdpa(pawl_torch.TorchKernel):
    operator, deterministic = "attention", False

    def __init__(self, backend):
        super().__init__()
        self.backend, self.plans, self.handle, self.compiled = backend, {}, None, None
        self.name = "torch_sdpa_" + backend.replace("-", "_")
        if backend in ROWS_FIRST:
            self.memory_order = (0, 2, 1, 3)

    def environment(self):
        found = {**super().environment(), "backend": self.backend}
        module, package = PACKAGES.get(self.backend, (None, None))
        if self.backend == "cudnn-frontend":
            return {**found, "cudnn": str(sys.modules[module].backend_version()), "cudnn_frontend": version_of(module, package)}
        if package:
            found[module.partition(".")[0]] = version_of(module, package)
        return found

    def supports(self, shape):
        if shape["dtype"] not in ("f16", "bf16", "f32") and not (shape["dtype"] == "e4m3" and self.backend in OF_E4M3):
            return "dtype %s is not supported" % shape["dtype"]
        size, dtype = [shape[name] for name in "BHSD"], self.dtypes[shape["dtype"]]
        self.captures, self.plans = {}, {}  # their memory is free again
        return self.why_not(lambda: self.compute(
            {name: self.torch.zeros(size, dtype=dtype, device="cuda") for name in "qkv"}, shape))

    def compute(self, tensors, shape):
        q, k, v = (tensors[name] for name in "qkv")
        causal = bool(shape.get("causal", 0))
        if self.backend in ROWS_FIRST:
            return self.package_call(*(t.transpose(1, 2) for t in (q, k, v)), causal).transpose(1, 2)
        if self.backend in PACKAGES:
            return (self.flex_call if self.backend == "flex" else self.cudnn_call)(q, k, v, causal)
        attention, name = self.torch.nn.attention, BACKENDS[self.backend]
        chosen = attention.sdpa_kernel(getattr(attention.SDPBackend, name)) if name else contextlib.nullcontext()
        with chosen:
            return self.torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    def package_call(self, q, k, v, causal):
        module = sys.modules[PACKAGES[self.backend][0]]
        if self.backend == "xformers":
            mask = module.LowerTriangularMask() if causal else None
            return module.memory_efficient_attention(q, k, v, attn_bias=mask)
        found = module.flash_attn_func(q, k, v, causal=causal)
        return found[0] if isinstance(found, tuple) else found  # some versions return sums beside the output

    def flex_call(self, q, k, v, causal):
        flex = sys.modules[PACKAGES["flex"][0]]
        self.compiled = self.compiled or self.torch.compile(flex.flex_attention, dynamic=False)
        length = q.shape[2]
        if causal and length not in self.plans:
            self.plans[length] = flex.create_block_mask(lambda b, h, row, key: row >= key, None, None, length, length,
                                                        device="cuda")
        return self.compiled(q, k, v, block_mask=self.plans[length] if causal else None)

    def cudnn_call(self, q, k, v, causal):
        cudnn, key = sys.modules["cudnn"], (tuple(q.shape), tuple(q.stride()), q.dtype, causal)
        self.handle = self.handle or cudnn.create_handle()
        cudnn.set_stream(handle=self.handle, stream=self.torch.cuda.current_stream().cuda_stream)
        out = self.torch.empty_like(q, dtype=self.torch.float16 if q.dtype == self.dtypes["e4m3"] else q.dtype)
        if key not in self.plans:
            self.plans[key] = self.cudnn_plan(cudnn, q, k, v, out, causal)
        graph, places, more, workspace = self.plans[key]
        graph.execute(dict(zip(places, (q, k, v, out, *more))), workspace, handle=self.handle)
        return out

    def cudnn_plan(self, cudnn, q, k, v, out, causal):
        """The graph, the places of its tensors, those beside q, k, v and the output, and its workspace, by the first plan that cuDNN's
        heuristics offer."""
        real = cudnn.data_type.FLOAT
        kinds = {self.torch.float16: cudnn.data_type.HALF, self.torch.bfloat16: cudnn.data_type.BFLOAT16, self.torch.float32: real,
                 self.dtypes["e4m3"]: cudnn.data_type.FP8_E4M3}
        graph = cudnn.pygraph(io_data_type=kinds[q.dtype], intermediate_data_type=real, compute_data_type=real, handle=self.handle)
        try:
            if kinds[q.dtype] == cudnn.data_type.FP8_E4M3:
                given, result, names, more = self.cudnn_of_e4m3(cudnn, graph, (q, k, v), causal)
            else:
                given, names, more = [graph.tensor_like(tensor) for tensor in (q, k, v)], [], []
                mask = {"diagonal_alignment": cudnn.diagonal_alignment.TOP_LEFT, "diagonal_band_right_bound": 0} if causal else {}
                result, _ = graph.sdpa(*given, name="sdpa", is_inference=True, attn_scale=q.shape[3] ** -0.5, **mask)
            result.set_output(True).set_dim(list(out.shape)).set_stride(list(out.stride())).set_data_type(kinds[out.dtype])
            graph.build([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
        except cudnn.cudnnGraphNotSupportedError as error:
            raise NotImplementedError(str(error)) from None
        workspace = self.torch.empty(max(1, graph.get_workspace_size()), dtype=self.torch.uint8, device="cuda")
        return graph, (*given, result, *names), more, workspace

    def cudnn_of_e4m3(self, cudnn, graph, tensors, causal):
        """The places of the tensors and of the output, and six scales of 1 and the two largest values that the graph writes."""
        real, one = cudnn.data_type.FLOAT, [1, 1, 1, 1]
        given = [graph.tensor(dim=list(tensor.shape), stride=list(tensor.stride()), data_type=cudnn.data_type.FP8_E4M3)
                 for tensor in tensors]
        scales = {name: graph.tensor(dim=one, stride=one, data_type=real)
                  for name in ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")}
        result, _, *largest = graph.sdpa_fp8(*given, name="sdpa", is_inference=True, attn_scale=tensors[0].shape[3] ** -0.5,
                                             use_causal_mask=causal, **scales)
        for tensor in largest:
            tensor.set_output(True).set_dim(one).set_stride(one).set_data_type(real)
        names = [*scales.values(), *largest]
        return given, result, names, [self.torch.ones(one, dtype=self.torch.float32, device="cuda") for _ in names]


def version_of(module, package):
    """That of the module comes first: FlashAttention-4 lies in the package of FlashAttention-2, which has another."""
    found = getattr(sys.modules[module], "__version__", None)
    try:
        return str(found or importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return str(getattr(sys.modules[module.partition(".")[0]], "__version__", "unknown"))


def main(words):
    parser = argparse.ArgumentParser(description="PyTorch's scaled_dot_product_attention for pawl")
    parser.add_argument("--backend", choices=[*BACKENDS, *PACKAGES], default="default")
    backend = parser.parse_args(words).backend
    pawl_torch.serve(TorchSdpa, backend, needs=[PACKAGES[backend][0]] if backend in PACKAGES else [])


if __name__ == "__main__":
    main(sys.argv[1:])
