"""Whatever stands in a model.json, it is read or refused with a sentence."""

from __future__ import annotations

import copy
import json
import random

import pytest
from test_damaged_files import BIAS, CONV, IN, KERNEL, model, web

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.tfjs_reading import read_tfjs

JUNK = [
    None,
    True,
    0,
    -1,
    3,
    2.5,
    10**30,
    float("nan"),
    "",
    "x",
    "../x",
    [],
    [None],
    [[1, 2], 3],
    {},
    {"a": 1},
    [["a", 0, 0]],
]
BRANCHES = web(
    IN,
    ("c", "Conv2D", CONV, ("a",)),
    ("d", "BatchNormalization", {"scale": True}, ("c",)),
    ("e", "ReLU", {"max_value": 2.0}, ("d",)),
    ("f", "MaxPooling2D", {"pool_size": [2, 2], "strides": None}, ("e",)),
    ("g", "Add", {}, ("f", "f")),
    ("h", "Reshape", {"target_shape": [-1, 2]}, ("g",)),
    ("i", "ZeroPadding2D", {"padding": [[1, 1], [0, 0]]}, ("g",)),
    ("j", "Rescaling", {"scale": 2.0}, ("i",)),
    ("b", "LayerNormalization", {"axis": [-1]}, ("h",)),
)


def places(found):
    """Every place in some JSON: the thing it is in, and the key."""
    pairs = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, value in pairs:
        yield found, key
        yield from places(value)


@pytest.mark.parametrize("topology", [None, BRANCHES], ids=["chain", "web"])
@pytest.mark.parametrize("seed", range(4))
def test_junk_anywhere(tmp_path, seed, topology):
    rng = random.Random(seed)
    (tmp_path / "weights.bin").write_bytes(KERNEL.tobytes() + BIAS.tobytes())
    whole = model() if topology is None else {**model(), "modelTopology": topology}
    for _ in range(400):
        found = copy.deepcopy(whole)
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            holder, key = rng.choice(list(places(found)))
            if rng.random() < 0.2:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(rng.choice(JUNK))
        (tmp_path / "model.json").write_text(json.dumps(found))
        try:
            read_tfjs(tmp_path)
        except BadModel as error:
            assert str(error)
