"""Films of an agent at work: `.gif` with Pillow, `.mp4` (H.264) with the ffmpeg that imageio-ffmpeg brings."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from whygrad.whole_file import whole_file

GIF_FPS = 50
"""The most that viewers show: they slow down GIFs whose frames stand for less than two hundredths of a second."""


def check_film(path: str | os.PathLike[str]) -> str:
    """The suffix of a film's name, or a `ValueError`: to be asked before an hour of playing rather than after it."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".gif", ".mp4"):
        stem = os.path.splitext(os.fspath(path))[0]
        ending = f"ends in {suffix!r}" if suffix else "has no ending"
        raise ValueError(
            f"a film is written as .gif or .mp4, and {os.fspath(path)!r} {ending}. "
            f"Write {stem + '.gif'!r} or {stem + '.mp4'!r}."
        )
    return suffix


def write_film(
    path: str | os.PathLike[str], frames: Iterable[Any], fps: float, colours: np.ndarray | None = None
) -> None:
    """Write frames, each a uint8 array [height, width, 3], whole or not at all.

    A GIF has 256 colours: each frame its own, or all the best ones of the image `colours`. With the same colours
    throughout, what does not move stays exactly as it is.
    """
    suffix = check_film(path)
    if not 0 < fps < math.inf:
        raise ValueError(f"a film needs a positive number of frames per second; {fps!r} was given.")
    checked = _checked(frames)
    first = next(checked)
    with whole_file(path) as file:
        if suffix == ".gif":
            _write_gif(file, first, checked, fps, colours)
        else:
            _write_mp4(file, first, checked, fps)


def _checked(frames: Iterable[Any]) -> Iterator[np.ndarray]:
    shape = None
    for n, frame in enumerate(frames):
        if frame is None:
            raise ValueError(
                f"frame {n} is None. Make the environment with render_mode='rgb_array': then render() gives images."
            )
        image = np.asarray(frame)
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            raise ValueError(
                f"frame {n} has dtype {image.dtype} and shape {image.shape}; expected uint8 [height, width, 3]."
            )
        shape = shape or image.shape
        if image.shape != shape:
            raise ValueError(f"frame {n} has shape {image.shape}, and those before it {shape}; all are of one size.")
        yield image
    if shape is None:
        raise ValueError("a film needs at least one frame; none was given.")


def _write_gif(
    file: BinaryIO, first: np.ndarray, others: Iterator[np.ndarray], fps: float, colours: np.ndarray | None
) -> None:
    from PIL import Image

    every = math.ceil(fps / GIF_FPS)
    images: Iterator[Any] = map(Image.fromarray, islice(chain([first], others), 0, None, every))
    if colours is not None:
        palette = Image.fromarray(colours).quantize(256)
        images = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    milliseconds = round(1000 * every / fps)
    next(images).save(file, "GIF", save_all=True, append_images=images, duration=milliseconds, loop=0)


def _write_mp4(file: BinaryIO, first: np.ndarray, others: Iterator[np.ndarray], fps: float) -> None:
    from imageio_ffmpeg import get_ffmpeg_exe

    height, width = (n + n % 2 for n in first.shape[:2])  # players want colours at half the size: it must be even
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:.6f}", "-i", "-"]
    wanted = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", file.name]
    with tempfile.TemporaryFile() as complaints:
        ffmpeg = subprocess.Popen(
            [get_ffmpeg_exe(), "-y", "-v", "error", *given, *wanted],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
        )
        try:
            with contextlib.suppress(BrokenPipeError), ffmpeg:  # a pipe breaks when ffmpeg stops: it says why
                for image in chain([first], others):
                    rows, columns = height - image.shape[0], width - image.shape[1]
                    ffmpeg.stdin.write(np.pad(image, ((0, rows), (0, columns), (0, 0)), "edge").tobytes())  # type: ignore[union-attr]
        except BaseException:
            ffmpeg.kill()
            raise
        if ffmpeg.returncode:
            complaints.seek(0)
            raise OSError(f"ffmpeg could not write the film: {complaints.read().decode(errors='replace').strip()}")
