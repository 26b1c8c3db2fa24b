"""Statistics of gradients against the plain formulas in float64."""

import numpy as np
import pytest

from whygrad.live import buckets
from whygrad.live.array_pass import BLOCK, ArrayPass
from whygrad.live.looks import INDEX


def reference(numbers):
    exact = numbers.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return {
            "present": 1.0,
            "norm": np.sqrt(np.sum(exact**2)),
            "peak": np.sqrt(np.sum(exact**2)),
            "mean": exact.mean(),
            "largest": np.abs(exact).max(),
            "zeros": (exact == 0).mean(),
            "nans": np.isnan(exact).sum(),
            "infs": np.isinf(exact).sum(),
        }


def gradients(sizes, kind, spoiled):
    rng = np.random.default_rng(3)
    found = [(rng.normal(size=size) * 10.0 ** rng.integers(-12, 3)).astype(kind) for size in sizes]
    found[0][: len(found[0]) // 2] = 0
    if spoiled:
        found[1][0], found[1][-1], found[2][1] = np.nan, np.inf, -np.inf
    return found


@pytest.mark.parametrize("spoiled", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(7, 3, 64, 1), (BLOCK + 5, 3, 700, 1)], ids=["small", "large"])
def test_each_number_is_what_the_formula_says(sizes, kind, spoiled):
    held = gradients(sizes, kind, spoiled)
    rows, counts = ArrayPass(sizes).look(np.concatenate(held)[None])
    for row, found, numbers in zip(rows[0], counts, held, strict=True):
        for name, value in reference(numbers).items():
            np.testing.assert_allclose(row[INDEX[name]], value, rtol=1e-9, err_msg=name)
        assert found.sum() == len(numbers)
        assert (found == buckets.count(numbers)).all()


def test_several_looks_at_once_are_those_looks():
    sizes, rng = (5, 11), np.random.default_rng(0)
    flat = rng.normal(size=(9000, 16)).astype(np.float32)  # more than fit into one block
    rows, counts = ArrayPass(sizes).look(flat)
    alone = [ArrayPass(sizes).look(one[None]) for one in flat[[0, 4500, 8999]]]
    np.testing.assert_array_equal(rows[[0, 4500, 8999]], np.concatenate([one for one, _ in alone]))
    assert counts.sum() == flat.size


def test_a_variable_without_numbers_has_a_gradient_and_nothing_to_say_of_it():
    rows, counts = ArrayPass((0, 3)).look(np.ones((1, 3), np.float32))
    assert rows[0, 0, INDEX["present"]] == 1
    assert np.isnan(rows[0, 0, INDEX["norm"]])
    assert counts[0].sum() == 0


def test_norms():
    flat = np.array([[3, 4, 12], [0, 0, 1]], np.float32)
    assert ArrayPass((2, 1)).norms(flat).tolist() == [[5, 12], [0, 1]]
