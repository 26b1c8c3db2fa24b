"""whygrad runs: the list, what differs, and cleaning up."""

from __future__ import annotations

import json
import os
import sys
import time

import pytest
from cli_runs import whygrad
from view.made_runs import make_actor_critic, make_hostile, make_metrics_only

from whygrad.live.store import Store
from whygrad.live.watched_run import watched_run


def made_old(folder, days):
    when = time.time() - days * 86400
    for file in folder.rglob("*"):
        os.utime(file, (when, when))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three runs that no test changes."""
    folder = tmp_path_factory.mktemp("made")
    make_actor_critic(folder / "runs" / "td3-walker", updates=400)
    make_metrics_only(folder / "runs" / "dqn-CartPole-v1-0-1")
    make_hostile(folder / "runs" / "hostile")
    for days, name in enumerate(("td3-walker", "dqn-CartPole-v1-0-1", "hostile"), 3):
        made_old(folder / "runs" / name, days)
    return folder


def test_the_list(made):
    done = whygrad(made, "runs", COLUMNS="110")
    assert (done.status, done.err) == (0, "")
    head, td3, dqn, hostile, blank, foot = done.out.splitlines()
    assert head.split() == ["run", "kind", "state", "steps", "updates", "return", "loss", "events", "age", "size"]
    assert td3.split()[:3] == ["td3-walker", "script", "ended"]
    assert ("400" in td3, td3.split()[-3:-2]) == (True, ["3d"])
    assert dqn.split()[:5] == ["dqn-CartPole-v1-0-1", "agent", "dqn", "ended", "50,000"]
    assert hostile.split()[0] == "hostile"
    assert (blank, foot.startswith("3 runs, ")) == ("", True)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_the_list_fits_the_terminal(made, width):
    done = whygrad(made, "runs", COLUMNS=str(width))
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= width
    assert all(word in lines[0] for word in ("run", "state", "return"))


def test_the_list_as_json(made):
    done = whygrad(made, "runs", "runs", "--json")
    found = json.loads(done.out)
    assert [run["name"] for run in found] == ["td3-walker", "dqn-CartPole-v1-0-1", "hostile"]
    assert found[0] | {"updates": 400, "events": 4, "live": False, "kind": "script"} == found[0]
    assert found[0]["size"] > 1000
    assert os.path.isdir(found[0]["folder"])


def test_folders_without_runs(tmp_path):
    missing = whygrad(tmp_path, "runs")
    assert (missing.status, missing.out) == (2, "")
    assert "there is no folder 'runs' here. Train something first" in missing.err
    assert "there is no folder 'x'" in whygrad(tmp_path, "runs", "x").err
    (tmp_path / "runs").mkdir()
    none = whygrad(tmp_path, "runs")
    assert (none.status, none.out) == (0, "There are no runs in 'runs'.\n")
    assert whygrad(tmp_path, "runs", "--json").out == "[]\n"


def test_names_cannot_steer_the_terminal(tmp_path):
    (tmp_path / "runs").mkdir()
    store = Store(tmp_path / "runs" / "bad\x1b[31m\nname")
    store.about(script="\x1b]0;owned\x07.py")
    store.close()
    done = whygrad(tmp_path, "runs", COLUMNS="120")
    assert done.status == 0
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
    assert len(done.out.splitlines()) == 4


def test_live_runs(tmp_path):
    held = watched_run(tmp_path / "runs" / "now")
    held.store.flush()
    done = whygrad(tmp_path, "runs")
    assert "live" in done.out.splitlines()[1]
    assert "1 run, 1 live, " in done.out
    refused = whygrad(tmp_path, "runs", "clean", "--older-than", "0s", "--yes")
    assert "now stays: it is being trained." in refused.out
    assert "There is nothing to remove" in refused.out
    held.close()
    assert "ended" in whygrad(tmp_path, "runs").out


def test_compare(made):
    done = whygrad(made, "runs", "compare", "td3-walker", "runs/dqn-CartPole-v1-0-1")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["td3-walker", "dqn-CartPole-v1-0-1"]
    cells = {line.split("  ")[0]: line.split()[-2:] for line in lines if line}
    assert cells["agent"] == ["-", "dqn"]
    assert cells["plan.env"] == ["-", "CartPole-v1"]
    assert "return, last" in cells
    assert any(line.startswith("events") and "W401" in line for line in lines)


@pytest.mark.parametrize("width", [40, 60])
def test_compare_fits_a_narrow_terminal(made, width):
    done = whygrad(made, "runs", "compare", "td3-walker", "dqn-CartPole-v1-0-1", "hostile", COLUMNS=str(width))
    assert max(map(len, done.out.splitlines())) <= width
    assert all(name in done.out for name in ("td3-walker", "dqn-CartPole-v1-0-1", "hostile"))


def test_compare_as_json(made):
    found = json.loads(whygrad(made, "runs", "compare", "td3-walker", "hostile", "--json").out)
    assert [os.path.basename(run) for run in found["runs"]] == ["td3-walker", "hostile"]
    assert {"part": "results", "name": "updates", "values": [400, 40]} in found["rows"]


def test_compare_refuses(made):
    one = whygrad(made, "runs", "compare", "td3-walker")
    assert (one.status, "two runs or more" in one.err) == (2, True)
    other = whygrad(made, "runs", "compare", "td3-walker", "nowhere")
    assert other.status == 2
    assert "'nowhere' is no run" in other.err
    assert "The newest runs there: 'runs/td3-walker'" in other.err


def test_clean_shows_first_and_removes_with_yes(tmp_path):
    for name, days in (("old", 40), ("older", 90), ("new", 1)):
        make_metrics_only(tmp_path / "runs" / name)
        made_old(tmp_path / "runs" / name, days)
    (tmp_path / "runs" / "old" / "play.gif").write_text("a film")
    asked = whygrad(tmp_path, "runs", "clean", "--older-than", "30d")
    assert asked.status == 0
    assert [line.split()[0] for line in asked.out.splitlines()[1:3]] == ["old", "older"]
    assert "play.gif" in asked.out
    assert "Nothing was removed. With --yes these are: 2 runs, " in asked.out
    assert sorted(os.listdir(tmp_path / "runs")) == ["new", "old", "older"]
    done = whygrad(tmp_path, "runs", "clean", "--older-than", "30d", "--yes")
    assert (done.status, done.err) == (0, "")
    assert "Removed 2 runs, " in done.out
    assert sorted(os.listdir(tmp_path / "runs")) == ["new", "old"]
    assert os.listdir(tmp_path / "runs" / "old") == ["play.gif"]
    again = whygrad(tmp_path, "runs", "clean", "--older-than", "30d", "--yes")
    assert (again.status, again.out) == (0, "There is nothing to remove in 'runs'.\n")


def test_clean_empty_and_keep(tmp_path):
    for days, name in enumerate(("a", "b", "c", "d")):
        make_metrics_only(tmp_path / "runs" / name)
        made_old(tmp_path / "runs" / name, days + 1)
    store = Store(tmp_path / "runs" / "nothing")
    store.close()
    made_old(tmp_path / "runs" / "nothing", 0.5)
    assert "nothing" in whygrad(tmp_path, "runs", "clean", "--empty", "--yes").out
    assert sorted(os.listdir(tmp_path / "runs")) == ["a", "b", "c", "d"]
    whygrad(tmp_path, "runs", "clean", "--keep", "3", "--older-than", "30d", "--yes")  # both must hold
    assert sorted(os.listdir(tmp_path / "runs")) == ["a", "b", "c", "d"]
    whygrad(tmp_path, "runs", "clean", "--keep", "2", "--yes")
    assert sorted(os.listdir(tmp_path / "runs")) == ["a", "b"]


def test_clean_leaves_what_is_no_run(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    make_metrics_only(elsewhere)
    made_old(elsewhere, 90)
    project = tmp_path / "runs" / "project"
    project.mkdir(parents=True)
    (project / "settings.json").write_text('{"agent": "of another tool"}')
    (tmp_path / "runs" / "data").mkdir()
    (tmp_path / "runs" / "data" / "x.csv").write_text("1")
    (tmp_path / "runs" / "link").symlink_to(elsewhere, target_is_directory=True)
    made_old(tmp_path / "runs", 90)
    done = whygrad(tmp_path, "runs", "clean", "--older-than", "30d", "--yes")
    assert done.status == 0
    assert "project stays" in done.out
    assert (project / "settings.json").exists()
    assert (elsewhere / "settings.json").exists()
    assert (tmp_path / "runs" / "data" / "x.csv").exists()


def test_clean_refuses(tmp_path):
    make_metrics_only(tmp_path / "runs" / "one")
    nothing = whygrad(tmp_path, "runs", "clean")
    assert (nothing.status, "which runs? Say --older-than 30d" in nothing.err) == (2, True)
    itself = whygrad(tmp_path, "runs", "clean", "runs/one", "--keep", "0", "--yes")
    assert (itself.status, "is a run itself" in itself.err) == (2, True)
    assert (tmp_path / "runs" / "one" / "settings.json").exists()
    odd = whygrad(tmp_path, "runs", "clean", "--older-than", "soon")
    assert "expected a time such as 30d" in odd.err


def test_help_and_a_folder_named_like_a_command(tmp_path):
    shown = whygrad(tmp_path, "runs", "--help")
    assert all(word in shown.out for word in ("whygrad runs compare", "whygrad runs clean"))
    assert "--older-than" in whygrad(tmp_path, "runs", "clean", "--help").out
    make_metrics_only(tmp_path / "clean" / "one")
    assert "one" in whygrad(tmp_path, "runs", "./clean").out


def test_no_framework_is_loaded(made):
    program = (
        "import sys; from whygrad.cli.main import main; main(['runs', '--json']); main(['runs']);"
        "assert not {'torch', 'tensorflow', 'jax', 'keras', 'matplotlib'} & set(sys.modules)"
    )
    from cli_runs import execute

    assert execute([sys.executable, "-c", program], made).status == 0
