"""Checkpoints: what goes in comes out; what is damaged is refused with a sentence; a kill leaves the last one whole."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

from whygrad.rl import checkpoint
from whygrad.rl.checkpoint import BadCheckpoint
from whygrad.whole_file import UNFINISHED, whole_file

DTYPES = [
    "?",
    "i1",
    "u1",
    "i2",
    "u2",
    "i4",
    "u4",
    "i8",
    "u8",
    "f2",
    "f4",
    "f8",
    "c8",
    "c16",
    ">f4",
    ">i8",
    "S5",
    "U7",
    "M8[s]",
    "m8[ms]",
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "last.npz"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_every_plain_dtype_and_shape_comes_back_equal(path, dtype, shape):
    numbers = np.random.default_rng(0).integers(0, 100, shape)
    array = np.asarray(numbers).astype(dtype)
    checkpoint.write(path, {"a": array}, {})
    back = checkpoint.read(path)[0]["a"]
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_special_numbers_keep_their_bits(path):
    array = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 5e-324])
    checkpoint.write(path, {"a": array}, {})
    assert checkpoint.read(path)[0]["a"].tobytes() == array.tobytes()


def test_arrays_that_do_not_lie_in_one_piece(path):
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    given = {"columns": whole[:, ::2], "turned": whole.T, "fortran": np.asfortranarray(whole), "scalar": np.float32(7)}
    checkpoint.write(path, given, {})
    back = checkpoint.read(path)[0]
    assert list(back) == list(given)
    assert all(np.array_equal(back[name], array) for name, array in given.items())


def test_what_comes_back_can_be_written_to(path):
    checkpoint.write(path, {"a": np.zeros(3)}, {})
    back = checkpoint.read(path)[0]["a"]
    back[:] = 1
    assert back.tolist() == [1, 1, 1]


def test_names_are_free(path):
    names = ["adam/critic/first/actor.dense_1.kernel", "file", "allow_pickle", "größe", "a b", "self", "facts.npy"]
    checkpoint.write(path, {name: np.array([i]) for i, name in enumerate(names)}, {})
    back = checkpoint.read(path)[0]
    assert [(name, int(back[name][0])) for name in back] == [(name, i) for i, name in enumerate(names)]


def test_facts_hold_the_whole_state_of_a_generator(path):
    rng = np.random.Generator(np.random.PCG64(7))
    rng.random(dtype=np.float32)  # leaves half of a 64-bit draw over, which is state too
    state = rng.bit_generator.state
    assert state["state"]["state"] > 2**64
    checkpoint.write(path, {}, {"rng": state, "best": float("-inf"), "steps": np.int64(5), "hidden": (64, 64)})
    facts = checkpoint.read(path)[1]
    other = np.random.Generator(np.random.PCG64(0))
    other.bit_generator.state = facts["rng"]
    assert facts == {"rng": state, "best": float("-inf"), "steps": 5, "hidden": [64, 64]}
    assert rng.random(4, dtype=np.float32).tolist() == other.random(4, dtype=np.float32).tolist()


def test_numpy_alone_reads_it(path):
    checkpoint.write(path, {"a/b": np.arange(3)}, {"steps": 5})
    with np.load(path, allow_pickle=False) as archive:
        assert archive["a/b"].tolist() == [0, 1, 2]
        assert json.loads(archive["facts"].tobytes())["facts"] == {"steps": 5}


def test_same_content_same_bytes(path, tmp_path):
    for name in ("one", "two"):
        checkpoint.write(tmp_path / name, {"a": np.arange(3)}, {"steps": 5})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("arrays", "facts", "kind", "message"),
    [
        (
            {"a": np.array([object()])},
            {},
            TypeError,
            "array 'a' has dtype object, which a checkpoint cannot hold without pickle. Convert it to numbers, "
            "booleans or strings of fixed length first, bfloat16 to float32.",
        ),
        (
            {"a": np.zeros(2, [("x", "f4")])},
            {},
            TypeError,
            "array 'a' has dtype [('x', '<f4')], which a checkpoint cannot hold without pickle. Convert it to numbers, "
            "booleans or strings of fixed length first, bfloat16 to float32.",
        ),
        (
            {"facts": np.zeros(2)},
            {},
            ValueError,
            "'facts' is the name of a checkpoint's own facts; give the array another name.",
        ),
        (
            {},
            {"a": {"b": [1, np.zeros(2)]}},
            TypeError,
            "facts['a']['b'][1] is of type ndarray, which is not JSON. Arrays go into `arrays`.",
        ),
        ({}, {"a": {3: 1}}, TypeError, "facts['a'] has the key 3; JSON keeps only text as keys. Write '3'."),
    ],
)
def test_what_it_cannot_hold_is_refused_and_the_old_one_stays(path, arrays, facts, kind, message):
    checkpoint.write(path, {}, {"steps": 1})
    with pytest.raises(kind) as caught:
        checkpoint.write(path, arrays, facts)
    assert str(caught.value) == message
    assert checkpoint.read(path)[1] == {"steps": 1}
    assert [file.name for file in path.parent.iterdir()] == ["last.npz"]


def refused(path):
    with pytest.raises(BadCheckpoint) as caught:
        checkpoint.read(path)
    return str(caught.value)


def test_no_file(path):
    assert refused(path) == f"There is no checkpoint at '{path}'."


def test_empty_file(path):
    path.touch()
    assert refused(path) == f"'{path}' is not a checkpoint: it is empty."


def test_another_kind_of_file(path):
    path.write_text("weights")
    assert refused(path) == f"'{path}' is not a checkpoint: it is not a NumPy archive (.npz)."


def test_another_archive(path):
    np.savez(path, a=np.zeros(3))
    assert refused(path) == (
        f"'{path}' is not a checkpoint of whygrad: it is an archive without a member 'facts'. "
        "Checkpoints are the files in the folder 'checkpoints' of a run."
    )


def test_an_archive_with_other_facts(path):
    np.savez(path, facts=np.frombuffer(b'{"env": "CartPole-v1"}', np.uint8))
    assert refused(path) == f"'{path}' is not a checkpoint of whygrad: its facts say None."


def test_a_newer_format(path, monkeypatch):
    monkeypatch.setattr(checkpoint, "VERSION", 2)
    checkpoint.write(path, {"a": np.zeros(3)}, {})
    monkeypatch.undo()
    assert refused(path) == (
        f"'{path}' was written by a newer whygrad: it has format version 2, and this one reads up to 1. "
        "Update whygrad to read it."
    )


def test_cut_in_the_middle(path):
    checkpoint.write(path, {"a": np.zeros(300)}, {})
    path.write_bytes(path.read_bytes()[:1500])
    assert refused(path) == (
        f"'{path}' is damaged or was cut off (BadZipFile: File is not a zip file). Use another checkpoint of the run."
    )


def test_one_wrong_byte_in_an_array(path):
    checkpoint.write(path, {"a": np.zeros(300)}, {})
    data = bytearray(path.read_bytes())
    data[data.index(b"a.npy") + 1000] ^= 1
    path.write_bytes(data)
    assert refused(path) == (
        f"'{path}' is damaged or was cut off (BadZipFile: Bad CRC-32 for file 'a.npy'). "
        "Use another checkpoint of the run."
    )


def test_an_object_array_put_in_by_hand_is_never_unpickled(path):
    checkpoint.write(path, {"a": np.zeros(3)}, {})
    with np.load(path) as archive:
        arrays = dict(archive)
    about = json.loads(arrays.pop("facts").tobytes())
    about["arrays"]["a"] = {"dtype": "|O", "shape": [1]}
    facts = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(path, allow_pickle=True, facts=facts, a=np.array([print]))
    assert refused(path) == (
        f"'{path}' is damaged or was cut off (ValueError: array 'a' has dtype |O). Use another checkpoint of the run."
    )


def test_every_cut_and_every_flipped_byte_is_noticed_or_harmless(path):
    given = {"a": np.arange(5, dtype=np.float32), "b": np.ones((2, 2), bool)}
    checkpoint.write(path, given, {"steps": 5})
    whole = path.read_bytes()
    silent = 0
    for i in range(len(whole)):
        for data in (whole[:i], whole[:i] + bytes([whole[i] ^ 0x10]) + whole[i + 1 :]):
            path.write_bytes(data)
            try:
                arrays, facts = checkpoint.read(path)
            except BadCheckpoint:
                continue
            silent += 1  # dates and the like, which nobody reads
            assert facts == {"steps": 5}
            assert list(arrays) == ["a", "b"]
            assert all(arrays[name].dtype == a.dtype and np.array_equal(arrays[name], a) for name, a in given.items())
    assert silent < len(whole) / 4


def test_an_array_left_out(path):
    checkpoint.write(path, {"a": np.zeros(3), "b": np.ones(3)}, {})
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != "b.npy"}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    assert refused(path) == (
        f"'{path}' is damaged or was cut off (KeyError: \"There is no item named 'b.npy' in the archive\"). "
        "Use another checkpoint of the run."
    )


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert (real.read_bytes(), real.stat().st_mode & 0o777) == (b"new", 0o640)


WRITER = """
import os
import sys
import numpy as np
from whygrad.rl import checkpoint
while sys.stdin.readline():  # one child for each line, so that NumPy is imported once
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        print("gone", flush=True)
        continue
    count = 0
    while True:
        count += 1
        checkpoint.write(sys.argv[1], {f"a{i}": np.full(30_000, count) for i in range(8)}, {"count": count})
        if count == 1:
            print(os.getpid(), flush=True)
"""


def test_killed_at_any_moment_the_last_one_is_whole(path):
    chance = random.Random(4)
    left = 0
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", WRITER, path], **pipes) as parent:
        for _ in range(20):
            parent.stdin.write("go\n")
            parent.stdin.flush()
            child = int(parent.stdout.readline())
            time.sleep(chance.random() / 20)
            os.kill(child, signal.SIGKILL)
            assert parent.stdout.readline() == "gone\n"
            arrays, facts = checkpoint.read(path)
            assert {int(n) for array in arrays.values() for n in (array.min(), array.max())} == {facts["count"]}
            left += len(list(path.parent.glob(f".*{UNFINISHED}")))
    assert left, "no kill hit a write: the test proves nothing"
