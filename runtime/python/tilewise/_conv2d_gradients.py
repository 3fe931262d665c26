"""The gradients of ``conv2d``: kernels `conv2d_backward_data` and `conv2d_backward_weights`, which its operators call."""

from __future__ import annotations

from typing import Any

from tilewise._arrays import family_of
from tilewise._conv2d import distances_of
from tilewise._errors import invalid
from tilewise._kernels import Prepared, alignment_of, one_device, prepare, start
from tilewise._library import Problem, calls, remember

Arguments = tuple[list[int], list[int], list[int], int]
"""Stride, padding, dilation and groups."""


def run(kernel: str, layout: str, arrays: dict[str, Any], filters: str, sizes: tuple[int, ...], arguments: Arguments,
        alpha: float, compute: str | None) -> None:  # fmt: skip
    """Launches a gradient's kernel, which writes ``output``.

    Parameters
    ----------
    kernel : str
    layout : str
        In which all of `arrays` lie.
    arrays : dict of str to array
        Named and ordered as the kernel's buffers.
    filters : str
        Which of them has the shape of filters.
    sizes : tuple of int
        Of the convolution: images, channels, rows, columns, filters, and a filter's rows and columns.
    arguments, alpha, compute
        As for `conv2d`.
    """
    families = {name: family_of(array, name) for name, array in arrays.items()}
    pointers = [family.pointer(arrays[name]) for name, family in families.items()]
    alignment = alignment_of(pointers)
    stride, padding, dilation, groups = arguments
    key = (kernel, layout, *stride, *padding, *dilation, groups, compute, alignment,
           *[family.signature(arrays[name]) for name, family in families.items()])  # fmt: skip
    ready: Prepared | None = calls.get(key)
    first = next(iter(families.values()))
    if ready is None:
        views = {name: family.view(arrays[name], name) for name, family in families.items()}
        distances = distances_of(views, layout, filters)
        if distances is None:
            told = ", ".join(f"{name} of {view.shape} with strides {view.strides}" for name, view in views.items())
            raise invalid(f"{kernel}: {told} (in elements) do not lie as {layout}")
        attributes: dict[str, str | int] = {
            "dtype": views["output"].type, "layout": layout, "compute": compute or "default", "stride_h": stride[0],
            "stride_w": stride[1], "pad_h": padding[0], "pad_w": padding[1], "dilation_h": dilation[0],
            "dilation_w": dilation[1], "groups": groups,
        }  # fmt: skip
        problem = Problem(kernel, sizes, attributes, distances, alignment)
        on = one_device(kernel, views, None)
        ready = prepare(problem, views, ("alpha",), on, first.stream(next(iter(views.values()))))
        remember(calls, key, ready)
    start(ready, pointers, (alpha,), first.own_stream(next(iter(arrays.values()))) or None)
