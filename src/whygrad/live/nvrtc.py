"""Compiling CUDA C while a program runs, with the compiler that PyTorch brings along, and launching it.

Nothing of CUDA has to be installed for it. Whatever is missing is an `OSError` or a `RuntimeError`; callers then do
without.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch


class Module:
    """Functions of a source, for the device that is the current one."""

    def __init__(self, source: str) -> None:
        major, minor = torch.cuda.get_device_capability()
        binary = _compiled(source, f"sm_{major}{minor}")
        self._module = ctypes.c_void_p()
        self._functions: dict[str, ctypes.c_void_p] = {}
        torch.cuda.current_stream().query()  # from here on there is a context
        _done(_driver().cuModuleLoadData(ctypes.byref(self._module), binary), "cuModuleLoadData")

    def launch(self, name: str, blocks: int, threads: int, tensors: tuple[torch.Tensor, ...]) -> None:
        """Queue a function of pointers on the stream that is the current one."""
        pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]
        arguments = (ctypes.c_void_p * len(pointers))(*[ctypes.addressof(pointer) for pointer in pointers])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        found = _driver().cuLaunchKernel(
            self._function(name), blocks, 1, 1, threads, 1, 1, 0, stream, arguments, None
        )  # fmt: skip
        _done(found, f"launching {name}")

    def _function(self, name: str) -> ctypes.c_void_p:
        found = self._functions.get(name)
        if found is None:
            found = ctypes.c_void_p()
            _done(_driver().cuModuleGetFunction(ctypes.byref(found), self._module, name.encode()), name)
            self._functions[name] = found
        return found


@functools.cache
def _compiled(source: str, architecture: str) -> bytes:
    compiler, program = _compiler(), ctypes.c_void_p()
    _done(compiler.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"whygrad.cu", 0, None, None), "NVRTC")
    try:
        options = (ctypes.c_char_p * 1)(f"--gpu-architecture={architecture}".encode())
        if compiler.nvrtcCompileProgram(program, 1, options):
            log = _bytes(compiler.nvrtcGetProgramLogSize, compiler.nvrtcGetProgramLog, program)
            raise RuntimeError(f"NVRTC refuses for {architecture}: {log.decode(errors='replace')}")
        return _bytes(compiler.nvrtcGetCUBINSize, compiler.nvrtcGetCUBIN, program)
    finally:
        compiler.nvrtcDestroyProgram(ctypes.byref(program))


def _bytes(size_of: Any, get: Any, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _done(size_of(program, ctypes.byref(size)), "NVRTC")
    held = ctypes.create_string_buffer(size.value)
    _done(get(program, held), "NVRTC")
    return held.raw


def _done(result: int, what: str) -> None:
    if result:
        raise RuntimeError(f"{what}: error {result} of CUDA")


@functools.cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")


@functools.cache
def _compiler() -> ctypes.CDLL:
    """The compiler of the CUDA that this PyTorch was built for."""
    if torch.version.cuda is None:
        raise OSError("this PyTorch was built without CUDA")
    major = torch.version.cuda.partition(".")[0]
    name = f"nvrtc64_{major}0_0.dll" if sys.platform == "win32" else f"libnvrtc.so.{major}"
    tried = []
    for where in (name, *map(str, _in_packages(name))):
        try:
            return ctypes.CDLL(where)
        except OSError as error:
            tried.append(str(error))
    raise OSError("; ".join(tried))


def _in_packages(name: str) -> Iterator[Path]:
    """Where the packages that PyTorch depends on keep it."""
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        yield from Path(folder).glob(f"*/*/{name}")
