"""Random numbers in `keras.ops` that are the same on every backend and device.

Each number is a hash of where it is used: a key (a game, a stream of a training) and a count. There is no state to
carry, so it works inside compiled programs, and the same seed gives the same game everywhere. The hash is a mixing of
32 bits by two multiplications (Wellons' "lowbias32"), in int32, which wraps around in every framework.
"""

from __future__ import annotations

import math
from typing import Any

from keras import ops

from whygrad.rl.agent import Noise

_ODD = -1640531527  # 2^32 divided by the golden ratio: consecutive counts end up far apart


def mix(x: Any) -> Any:
    """int32 to int32, so that one bit of the input changes half of the output's."""
    x = x ^ shifted(x, 16)
    x = x * 0x7FEB352D
    x = x ^ shifted(x, 15)
    x = x * -0x7B935975  # 0x846CA68B
    return x ^ shifted(x, 16)


def shifted(x: Any, places: int) -> Any:
    """To the right, with zeros coming in (int32 has a sign that would come in instead)."""
    return ops.right_shift(x, places) & ((1 << (32 - places)) - 1)


def bits(key: Any, count: Any) -> Any:
    """32 random bits for each pair of a key and a count, as int32."""
    return mix(key ^ mix(count * _ODD + 1))


def integers(drawn: Any, below: Any, most: int) -> Any:
    """Random bits to whole numbers from 0 to `below` - 1; `most` is the largest `below` that occurs.

    In whole numbers throughout: a product of floats may be rounded differently elsewhere.
    """
    places = 31 - most.bit_length()
    return ops.right_shift(shifted(drawn, 32 - places) * below, places)


def uniform(drawn: Any) -> Any:
    """Random bits to numbers from 0 to 1 (never 1)."""
    return ops.cast(shifted(drawn, 8), "float32") * 2.0**-24


def noise(kind: Noise, key: Any, rows: tuple[int, ...]) -> Any:
    """What `Noise.draw` gives, from a key: [*rows, *shape] float32."""
    shape = (*rows, *kind.shape)
    size = math.prod(shape)
    count = ops.arange(size, dtype="int32")
    first = uniform(bits(key, count))
    if kind.kind == "normal":  # Box and Muller
        second = uniform(bits(key, count + size))
        first = ops.sqrt(-2.0 * ops.log(1.0 - first)) * ops.cos(2.0 * math.pi * second)
    elif kind.kind == "gumbel":
        first = -ops.log(-ops.log(first + 2.0**-25))
    return ops.reshape(first, shape)


def stream(seed: Any, *place: Any) -> Any:
    """A key for one use at one place of a training, all int32."""
    key = mix(seed)
    for part in place:
        key = bits(key, ops.cast(part, "int32"))
    return key
