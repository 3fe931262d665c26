"""Operators for PyTorch: ``torch.ops.tilewise``, with shapes for tracing and gradients.

Importing this module registers them, so that `torch.compile`, CUDA graphs, `torch.export` and autograd know them.
`tilewise.gemm` and the others come here by themselves when a tensor needs gradients or is traced.

Examples
--------
>>> import tilewise.torch
>>> step = torch.compile(lambda a, b: tilewise.torch.gemm(a, b, activation="relu") + 1)
"""

from tilewise._torch_conv2d import conv2d, traced_conv2d
from tilewise._torch_gemm import gemm, traced_gemm
from tilewise._torch_grouped import gemm_grouped, traced_gemm_grouped
from tilewise._torch_moves import aat, copy, traced_move, transpose

__all__ = ["aat", "conv2d", "copy", "gemm", "gemm_grouped", "transpose"]
