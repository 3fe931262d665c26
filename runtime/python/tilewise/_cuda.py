"""NVRTC as pip installs it: in a folder that the dynamic linker does not know."""

from __future__ import annotations

import ctypes
import importlib.util
import pathlib


def compiler_folders() -> list[str]:
    """Where packages such as nvidia-cuda-nvrtc have put libnvrtc; PyTorch brings one."""
    spec = importlib.util.find_spec("nvidia")
    roots = spec.submodule_search_locations if spec is not None else None
    return [
        str(folder)
        for root in roots or ()
        for pattern in ("cu[0-9]*/lib", "cuda_nvrtc/lib")
        for folder in sorted(pathlib.Path(root).glob(pattern), reverse=True)
        if list(folder.glob("libnvrtc.so*"))
    ]


def open_compiler() -> None:
    """Loads it, so that libtilewise finds it by its name. Without it the system's own is looked for."""
    for folder in compiler_folders():
        for path in sorted(pathlib.Path(folder).glob("libnvrtc.so.*")):
            try:
                # Its own libraries are opened by name as well.
                for part in pathlib.Path(folder).glob("libnvrtc-builtins.so.*"):
                    ctypes.CDLL(str(part))
                ctypes.CDLL(str(path))
                return
            except OSError:
                continue
