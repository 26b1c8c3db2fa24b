"""whygrad evaluate and whygrad play, on a run that was trained on another backend."""

from __future__ import annotations

import json
import re

import pytest
from rl_runs import TINY, agents, several

RUN = "runs/dqn-CartPole-v1-0-1"
PROBE = "runs/dqn-whygrad_ProbeConstant-v0-0-1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("played")
    words = ("--env", "CartPole-v1", "--steps", "96", *TINY, "--no-tensorboard")
    assert agents().whygrad(made, "train", "dqn", *words).status == 0
    return made


def test_evaluate(folder):
    text, plain, same, none = several(
        folder,
        f"evaluate {RUN} --episodes 12",
        f"evaluate {RUN} --episodes 3 --checkpoint last --seed 5 --json",
        f"evaluate {RUN} --episodes 3 --checkpoint last --seed 5 --json --backend jax",
        "evaluate none",
        backend="jax",
    )
    assert (text.status, text.err) == (0, "")
    first, returns, lengths = text.out.splitlines()
    assert re.fullmatch(r"dqn on CartPole-v1, best checkpoint \(step \d+\), 12 episodes", first)
    assert re.fullmatch(r"return    mean \d+\.\d  deviation \d+\.\d  min \d+\.0  max \d+\.0", returns)
    assert re.fullmatch(r"length    mean \d+\.\d  min \d+\.0  max \d+\.0", lengths)
    found = json.loads(plain.out)
    assert found == json.loads(same.out)
    assert (found["agent"], found["env"], found["checkpoint"], found["step"]) == ("dqn", "CartPole-v1", "last", 96)
    assert (found["backend"], found["seed"], found["episodes"]) == ("jax", 5, 3)
    # CartPole gives 1 for every step.
    assert found["returns"] == found["lengths"]
    assert found["return"]["mean"] == pytest.approx(sum(found["returns"]) / 3)
    assert found["length"]["min"] == min(found["lengths"])
    assert (none.status, none.err) == (2, "whygrad: There is no run at 'none': no such folder.\n")


def test_both_backends_act_alike(folder):
    [jax] = several(folder, f"evaluate {RUN} --episodes 3 --json", backend="jax")
    [torch] = several(folder, f"evaluate {RUN} --episodes 3 --json", backend="torch")
    assert json.loads(jax.out)["returns"] == json.loads(torch.out)["returns"]


def test_play(folder):
    film, clip, wrong, nowhere, both = several(
        folder,
        f"play {RUN} --episodes 2",
        f"play {RUN} --out clip.mp4 --fps 30 --checkpoint last",
        f"play {RUN} --out clip.avi",
        f"play {RUN} --out nowhere/clip.gif",
        f"play {RUN} --out clip.gif --show",
    )
    assert film.status == 0, film.err
    *episodes, where = film.out.splitlines()
    assert all(re.fullmatch(r"episode [12]  return \d+\.0  \d+ steps", line) for line in episodes)
    assert len(episodes) == 2
    assert where == f"film       {RUN}/play.gif"
    assert (folder / RUN / "play.gif").read_bytes().startswith(b"GIF89a")
    assert clip.out.endswith("film       clip.mp4\n")
    assert (folder / "clip.mp4").read_bytes()[4:8] == b"ftyp"
    assert (wrong.status, wrong.err) == (
        2,
        "whygrad: a film is written as .gif or .mp4, and 'clip.avi' ends in '.avi'. Write 'clip.gif' or 'clip.mp4'.\n",
    )
    assert nowhere.status == 2
    assert nowhere.err.endswith("does not exist, so the film cannot be written there. Make it first.\n")
    assert both.status == 2
    assert "--show: not allowed with argument --out" in both.err


def test_the_film_has_the_first_and_the_last_moment(folder):
    from PIL import Image

    [result] = several(folder, f"play {RUN} --out whole.gif")
    steps = int(re.search(r"(\d+) steps", result.out)[1])
    with Image.open(folder / "whole.gif") as film:
        shown = 0
        for n in range(film.n_frames):  # a picture that looks like the one before it is one, shown for longer
            film.seek(n)
            shown += film.info["duration"] // 20
        assert film.size == (600, 400)
    assert shown == steps + 1


def test_what_cannot_be_shown(folder):
    [trained, result] = several(
        folder,
        f"train dqn --env whygrad/ProbeConstant-v0 --steps 96 {' '.join(TINY)} --no-tensorboard",
        f"play {PROBE}",
    )
    assert trained.status == 0, trained.err
    assert (result.status, result.err) == (
        2,
        "whygrad: whygrad/ProbeConstant-v0 cannot be shown: that takes the render mode 'rgb_array', and it offers no "
        "way of drawing itself.\n",
    )
