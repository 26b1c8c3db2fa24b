"""Event files for TensorBoard, written with the `tensorboard` package alone.

Its `EventFileWriter` is not used: it imports TensorFlow when that is installed, which takes seconds and, on a machine
with a GPU, the GPU's memory. The format of the records and the messages in them are the package's own.
"""

from __future__ import annotations

import math
import os
import socket
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from whygrad.live import buckets

BINS = 30
"""As many as TensorBoard draws."""

_LARGEST = float(np.finfo(np.float32).max)
_serial = count()


class TensorBoardFile:
    """One event file in a folder. A resumed run adds one; TensorBoard then forgets what came after step `resumed`."""

    def __init__(self, folder: str | os.PathLike[str], resumed: int | None = None) -> None:
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        # TensorBoard reads the files of a folder in the order of their names: the time comes first.
        now = f"{time.time():.6f}"
        name = f"events.out.tfevents.{now}.{socket.gethostname()}.{os.getpid()}.{next(_serial)}"
        self._file = (path / name).open("xb")
        self._records = RecordWriter(self._file)
        self._write(Event(file_version="brain.Event:2"))
        if resumed is not None:
            self._write(Event(step=resumed + 1, session_log=SessionLog(status=SessionLog.START)))
        self.flush()

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """One number for each tag."""
        held = [Summary.Value(tag=tag, simple_value=float(value)) for tag, value in values.items()]
        self._write(Event(step=int(step), summary=Summary(value=held)))

    def histogram(self, step: int, tag: str, array: Any) -> None:
        """How the numbers of an array are spread. Those that are not finite are left out of it."""
        with np.errstate(over="ignore"):  # of the squares
            value = Summary.Value(tag=tag, histo=_histogram(_floats(array)))
        self._write(Event(step=int(step), summary=Summary(value=[value])))

    def counted(self, step: int, tag: str, counts: Any) -> None:
        """A histogram over powers of two (`buckets`), as it is: nothing is counted anew."""
        value = Summary.Value(tag=tag, histo=_counted(counts))
        self._write(Event(step=int(step), summary=Summary(value=[value])))

    def image(self, step: int, tag: str, png: bytes, width: int, height: int) -> None:
        """A picture."""
        held = Summary.Image(height=height, width=width, colorspace=3, encoded_image_string=png)
        self._write(Event(step=int(step), summary=Summary(value=[Summary.Value(tag=tag, image=held)])))

    def flush(self) -> None:
        """Hand everything to the operating system, where TensorBoard sees it."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        self._records.write(event.SerializeToString())


def _floats(array: Any) -> np.ndarray:
    numbers: np.ndarray = np.asarray(array).ravel()
    return numbers if numbers.dtype in (np.float32, np.float64) else numbers.astype(np.float64)


def _counted(counts: Any) -> HistogramProto:
    order = buckets.ordered()
    found = np.asarray(counts, np.float64)[order]
    used = np.flatnonzero(found)
    if not len(used):
        return HistogramProto(min=0, max=0, num=0, sum=0, sum_squares=0, bucket_limit=[0.0], bucket=[0.0])
    ends = np.array([buckets.limits(bucket) for bucket in order])[used[0] : used[-1] + 1]
    ends = np.clip(ends, -_LARGEST, _LARGEST)
    held = found[used[0] : used[-1] + 1]
    middle = ends.mean(axis=1)
    return HistogramProto(
        min=ends[0, 0],
        max=ends[-1, 1],
        num=held.sum(),
        sum=float(held @ middle),  # as near as the buckets tell
        sum_squares=float(held @ np.square(middle)),
        bucket_limit=[ends[0, 0], *ends[:, 1]],
        bucket=[0.0, *held],
    )


def _histogram(numbers: np.ndarray) -> HistogramProto:
    if not np.isfinite(numbers).all():
        numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return HistogramProto(min=0, max=0, num=0, sum=0, sum_squares=0, bucket_limit=[0.0], bucket=[0.0])
    low, high = float(numbers.min()), float(numbers.max())
    counts, edges = _count(numbers, low, high)
    return HistogramProto(
        min=low,
        max=high,
        num=numbers.size,
        sum=numbers.sum(dtype=np.float64),
        sum_squares=np.square(numbers, dtype=np.float64).sum(),
        # A bucket reaches from the limit before it to its own; the first one, empty, ends where the smallest number is.
        bucket_limit=edges,
        bucket=[0.0, *counts],
    )


def _count(numbers: np.ndarray, low: float, high: float) -> tuple[Any, Any]:
    """`np.histogram(numbers, BINS)`, but twice as fast: gradients are counted while training waits."""
    width = high - low
    if width == 0:
        counts, edges = np.histogram(numbers, BINS)
        return counts, edges
    if width == math.inf:
        counts, edges = _count(numbers / 2, low / 2, high / 2)
        return counts, edges * 2
    if not 1e-30 < width < 1e30:  # too near together or too far apart for float32
        numbers = numbers.astype(np.float64)
    kind = numbers.dtype.type
    places = ((numbers - kind(low)) / kind(width) * kind(BINS)).astype(np.int32)
    counts = np.bincount(places, minlength=BINS + 1)
    counts[BINS - 1] += counts[BINS]  # the largest number belongs to the last bucket
    return counts[:BINS], np.linspace(low, high, BINS + 1)
