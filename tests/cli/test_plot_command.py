"""whygrad plot: what is in the pictures, and what is refused. How they look was looked at."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from cli_runs import Result
from view.made_runs import (
    DEAD,
    histograms,
    look,
    make_actor_critic,
    make_hostile,
    make_metrics_only,
    rows_of,
)

from whygrad.cli import main as command
from whygrad.live import heat, plots
from whygrad.live.plots_heat import heat_map
from whygrad.live.plots_histogram import ridges
from whygrad.live.plots_norms import norms
from whygrad.live.run_listing import run_at
from whygrad.live.spreads import Spread
from whygrad.live.store import Store, Variable


def whygrad(folder, *words) -> Result:
    """In this process, because matplotlib takes long to load; warnings are errors here."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = command.main(words)
    return Result(status, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    make_actor_critic(folder / "runs" / "td3-walker")
    make_metrics_only(folder / "runs" / "dqn-1")
    make_metrics_only(folder / "runs" / "dqn-2")
    make_hostile(folder / "runs" / "hostile")
    return folder


def pixels(file):
    from matplotlib.image import imread

    return imread(file)[..., :3]


def test_all_of_a_run(made):
    done = whygrad(made, "plot", "runs/td3-walker")
    assert (done.status, done.out, done.err) == (0, "written    runs/td3-walker/plot.png\n", "")
    found = pixels(made / "runs" / "td3-walker" / "plot.png")
    assert found.shape[1] == 1376
    black = (found < 0.05).all(axis=2)
    assert black.sum(axis=1).max() > 400  # the stripe of a dead layer, half as wide as the map
    magenta = np.abs(found - np.array([0xFF, 0x1F, 0x6B]) / 255).max(axis=2) < 0.1
    assert magenta.any()


@pytest.mark.parametrize("what", ["norms", "heat", "scalars", "histogram"])
def test_each_picture_as_svg(made, what):
    out = f"{what}.svg"
    assert whygrad(made, "plot", "td3-walker", "--what", what, "--out", out, "--log").status == 0
    first = (made / out).read_bytes()
    assert ElementTree.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"
    assert whygrad(made, "plot", "td3-walker", "--what", what, "--out", out, "--log").status == 0
    assert (made / out).read_bytes() == first  # the same run is the same file


def test_several_runs_are_drawn_over_each_other(made):
    done = whygrad(made, "plot", "dqn-1", "dqn-2", "--out", "both.PNG")
    assert (done.status, done.err) == (0, "")
    one = whygrad(made, "plot", "dqn-1", "--what", "scalars", "--out", "one.png")
    assert one.status == 0
    second = np.array([0xB3, 0x62, 0x2B]) / 255
    count = [(np.abs(pixels(made / name) - second).max(axis=2) < 0.1).sum() for name in ("both.PNG", "one.png")]
    assert count[0] > 100 > count[1]


def test_what_the_heat_map_shows(made):
    found = heat_map(run_at(made / "runs" / "td3-walker"))
    row = {name: found.cells[at] for at, name in enumerate(found.names)}
    middles = np.array(found.over.middles())
    dead = row[DEAD] == heat.ZERO
    assert (dead == (middles >= 3_000)).mean() > 0.99
    assert (row["critic.0.weight"] >= heat.LOWEST).all()
    absent = row["actor.0.weight"] == heat.ABSENT
    assert (absent == (middles < 320)).mean() > 0.99
    assert [abs(at - 5_000) < 20 for at in middles[row["actor.2.bias"] == heat.BROKEN]] == [True]
    assert [name for _, name in found.networks] == ["actor", "critic"]


def test_norms_before_and_after_clipping(made):
    actor, critic = norms(run_at(made / "runs" / "td3-walker"))
    clipped = (actor.at > 4_205) & (actor.at < 4_310)
    assert actor.before[clipped].min() > 10
    assert actor.after[clipped].max() <= 1.0 + 1e-6
    assert np.nanmax(np.abs(critic.before - critic.after)) < 1e-9
    assert [round(at / 10) for at in actor.broken] == [500]


def test_ridges_are_the_histograms(made):
    found = ridges(run_at(made / "runs" / "td3-walker"), DEAD)
    late = np.array([first >= 3_000 for first, _ in found.updates])
    assert found.zeros[late] == pytest.approx(1.0)  # all numbers of a dead layer are zero
    assert found.zeros[[last < 3_000 for _, last in found.updates]].max() < 0.1
    whole = found.shares.sum(axis=1) + found.zeros
    assert whole == pytest.approx(1.0, abs=0.02)
    # Without a name it is one that something happened to.
    assert ridges(run_at(made / "runs" / "td3-walker"), None).name in (DEAD, "actor.0.weight")


def test_names_of_any_kind(tmp_path):
    store, rng = Store(tmp_path / "odd"), np.random.default_rng(0)
    names = ["$x_{", "a\nb", "権重", "\x1b[31m", "<script>&", "w" * 300]
    variables = [Variable(name, name[:2], (3,)) for name in names]
    group = store.group("$\\frac$", variables)
    for at in range(5):
        sizes = rng.uniform(1, 2, len(names))
        store.looks(group, [look(at, rows_of(sizes, rng))])
        store.spread(group, Spread(at, at, 1, histograms(sizes, variables, rng, 1)))
        store.scalar("$loss^{", at, float(at))
    store.close()
    for out in ("odd.png", "odd.svg"):
        done = whygrad(tmp_path, "plot", "odd", "--out", out)
        assert (done.status, done.err) == (0, "")
    ElementTree.parse(tmp_path / "odd.svg")


def test_runs_with_little_in_them(tmp_path):
    store = Store(tmp_path / "one")
    group = store.group("Adam", [Variable("w", "net", (3,))])
    store.looks(group, [look(0, rows_of(np.zeros(1), np.random.default_rng(0)))])
    store.scalar("loss", 0, float("nan"))
    store.scalar("return", 0, 1.0)
    store.close()
    assert whygrad(tmp_path, "plot", "one", "--out", "one.png", "--log").status == 0
    Store(tmp_path / "none").close()
    none = whygrad(tmp_path, "plot", "none")
    assert (none.status, none.out) == (2, "")
    assert "there is nothing to draw: no numbers or gradients in 'none'" in none.err


def test_refusals(made):
    asked = {
        ("plot", "td3-walker", "--out", "x.jpg"): "--out ends in .png or .svg",
        ("plot", "td3-walker", "hostile", "--what", "heat"): "--what heat takes one run",
        ("plot", "nowhere"): "'nowhere' is no run",
        ("plot", "td3-walker", "--out", "no/such/x.png"): "does not exist, so the picture cannot be written",
        (
            "plot",
            "td3-walker",
            "--what",
            "histogram",
            "--variable",
            "actor",
        ): "has no variable 'actor'. Its variables: ",
        ("plot", "td3-walker", "--what", "heat", "--variable", "actor"): "--variable says whose histograms",
        ("plot", "dqn-1", "--what", "heat"): "there is nothing to draw: no record of gradients in 'dqn-1'",
    }
    for words, sentence in asked.items():
        done = whygrad(made, *words)
        assert (done.status, done.out) == (2, "")
        assert sentence in done.err
        assert len(done.err.splitlines()) == 1


def test_without_matplotlib(made, monkeypatch, capsys):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "matplotlib" else find(name))
    assert command.main(["plot", str(made / "runs" / "hostile")]) == 2
    assert capsys.readouterr().err == (
        "whygrad: pictures need matplotlib, not installed here: pip install 'whygrad[plot]'\n"
    )


def test_a_picture_is_there_whole_or_not_at_all(made, monkeypatch, tmp_path):
    from matplotlib.figure import Figure

    out = tmp_path / "x.png"
    out.write_text("the old one")

    def fails(self, file, **_options):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(Figure, "savefig", fails)
    with pytest.raises(OSError, match="disk full"):
        plots.draw([run_at(made / "runs" / "hostile")], "scalars", out)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("x.png", "the old one")]
