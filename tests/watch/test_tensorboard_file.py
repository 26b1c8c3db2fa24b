"""Event files as TensorBoard itself reads them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from whygrad.live.tensorboard_file import BINS, TensorBoardFile, _floats, _histogram

# Its reader imports TensorFlow where that is installed, and old protobuf code warns.
pytestmark = pytest.mark.filterwarnings("ignore")


def read(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0})
    accumulator.Reload()
    return accumulator


def points(accumulator, tag):
    return [(event.step, event.value) for event in accumulator.Scalars(tag)]


def test_scalars_come_back_equal(tmp_path):
    board = TensorBoardFile(tmp_path / "new" / "tensorboard")
    board.scalars(0, {"return": 20.5, "loss/critic": np.float32(0.1)})
    board.scalars(3_000_000_000, {"return": -1e30, "loss/critic": float("nan")})
    board.close()
    found = read(tmp_path / "new" / "tensorboard")
    assert sorted(found.Tags()["scalars"]) == ["loss/critic", "return"]
    assert points(found, "return") == [(0, 20.5), (3_000_000_000, float(np.float32(-1e30)))]
    assert points(found, "loss/critic")[0] == (0, float(np.float32(0.1)))
    assert np.isnan(points(found, "loss/critic")[1][1])


def test_histogram_comes_back_equal(tmp_path):
    numbers = np.array([[-1.0, 0.0, 0.5], [2.0, 2.0, 0.25]], np.float32)
    board = TensorBoardFile(tmp_path)
    board.histogram(7, "gradient/actor.kernel", numbers)
    board.histogram(8, "gradient/actor.kernel", [])
    board.close()
    event, empty = read(tmp_path).Histograms("gradient/actor.kernel")
    assert (empty.step, empty.histogram_value.num) == (8, 0)
    value = event.histogram_value
    # -1 + 0 + 0.5 + 2 + 2 + 0.25 = 3.75; 1 + 0 + 0.25 + 4 + 4 + 0.0625 = 9.3125
    assert (event.step, value.min, value.max, value.num, value.sum, value.sum_squares) == (7, -1, 2, 6, 3.75, 9.3125)
    # 30 buckets of width 0.1 between -1 and 2, and an empty one that ends at -1: 0 lies in bucket 11, 2 in the last.
    assert np.allclose(value.bucket_limit, np.linspace(-1, 2, 31))
    filled = {i: count for i, count in enumerate(value.bucket) if count}
    assert sum(filled.values()) == 6
    assert (filled[1], filled[30]) == (1, 2)


ODD = [
    [],
    [np.nan, np.inf],
    [1.0, np.nan],
    [3.0],
    [0.0, 0.0],
    [0.0, 5e-324],
    [1.0, 1.0 + 2e-16],
    [1e300, -1e300],
    [1.7e308, -1.7e308],
    [True, False],
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("numbers", ODD)
def test_odd_arrays_make_a_histogram_too(numbers, dtype):
    with np.errstate(over="ignore"):
        array = np.array(numbers, dtype)
        value = _histogram(_floats(array))
    finite = array[np.isfinite(array)].astype(np.float64)
    assert value.num == len(finite) == sum(value.bucket)
    assert value.sum == sum(finite)
    assert len(value.bucket) == len(value.bucket_limit)


@pytest.mark.parametrize("scale", [1e-35, 1e-20, 1, 1e20])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_counts_are_those_of_numpy_up_to_rounding(dtype, scale):
    numbers = (np.random.default_rng(0).normal(size=5_000) * (scale if dtype != np.float16 else 1)).astype(dtype)
    value = _histogram(_floats(numbers))
    counts, edges = np.histogram(numbers.astype(np.float64), BINS)
    assert np.abs(np.array(value.bucket[1:]) - counts).max() <= 2
    assert np.allclose(value.bucket_limit, edges, rtol=1e-5, atol=0)
    assert sum(value.bucket) == 5_000


def test_after_a_resume_only_the_new_course_is_shown(tmp_path):
    first = TensorBoardFile(tmp_path)
    for step in (10, 20, 30):
        first.scalars(step, {"return": step})
    first.close()
    second = TensorBoardFile(tmp_path, resumed=20)
    second.scalars(30, {"return": -30})
    second.close()
    assert points(read(tmp_path), "return") == [(10, 10), (20, 20), (30, -30)]


def test_what_was_flushed_is_there_while_the_file_is_open(tmp_path):
    board = TensorBoardFile(tmp_path)
    board.scalars(1, {"return": 1})
    board.flush()
    assert points(read(tmp_path), "return") == [(1, 1)]
    board.close()


def test_writing_needs_no_framework(tmp_path):
    program = (
        "import sys\nfrom whygrad.live.tensorboard_file import TensorBoardFile\n"
        "board = TensorBoardFile(sys.argv[1])\n"
        "board.scalars(1, {'a': 1})\nboard.histogram(1, 'b', [1, 2])\nboard.close()\n"
        "print(sorted({'tensorflow', 'torch', 'jax', 'keras'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
