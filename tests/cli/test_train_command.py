"""whygrad train, in processes of its own: what it prints, what it refuses and in which words."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from cli_runs import WHYGRAD, environment, python, whygrad, write
from rl_runs import TINY, agents, several

ALGORITHMS = "a2c, cql, ddpg, dqn, ppo, reinforce, sac, td3"
RECIPES = "recipes are snake-dqn, snake"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    return folder, agents().whygrad(folder, "train", "dqn", "--env", "CartPole-v1", "--steps", "96", *TINY)


def test_what_came_of_it(trained):
    folder, result = trained
    assert (result.status, result.err) == (0, "")
    best, last, *rest = result.out.splitlines()
    assert re.fullmatch(r"best evaluation  \d+\.\d ± \d+\.\d over 2 episodes", best)
    assert re.fullmatch(r"last evaluation  \d+\.\d ± \d+\.\d over 2 episodes", last)
    assert rest == [
        "run folder       runs/dqn-CartPole-v1-0-1",
        "to look at it    whygrad view runs/dqn-CartPole-v1-0-1   (or tensorboard --logdir runs/dqn-CartPole-v1-0-1)",
        "to watch it      whygrad play runs/dqn-CartPole-v1-0-1",
    ]
    kept = json.loads((folder / "runs/dqn-CartPole-v1-0-1/settings.json").read_text())
    # What --set says comes before the preset, and that before the defaults.
    assert kept["settings"]["hidden"] == [8]
    assert kept["settings"]["n_step"] == 3
    assert kept["settings"]["batch_size"] == 64
    assert kept["versions"]["backend"] == "torch"


def test_going_on(trained):
    folder, _ = trained
    run = "runs/dqn-CartPole-v1-0-1"
    [whole] = several(folder, f"train --resume {run}")
    # In a process that has no Keras yet: the run goes on on its own backend, whatever is set.
    longer = whygrad(folder, "train", "--resume", run, "--steps", "192", "--quiet", KERAS_BACKEND="jax")
    assert (whole.status, whole.err) == (2, "whygrad: this run has all of its 96 steps; a larger --steps goes on.\n")
    assert (longer.status, longer.err) == (0, "")
    assert f"run folder       {run}\n" in longer.out
    rows = [json.loads(line) for line in (folder / run / "metrics.jsonl").read_text().splitlines()]
    assert max(row["step"] for row in rows) == 192


REFUSED_AT_ONCE = {
    "train": f"which algorithm? One of {ALGORITHMS}: whygrad train dqn --env CartPole-v1",
    "train dqm --env CartPole-v1": f"there is no algorithm 'dqm'. Did you mean dqn? The algorithms are {ALGORITHMS}; "
    f"{RECIPES}.",
    "train dqn": "on which environment? whygrad train dqn --env CartPole-v1",
    "train --resume r --env E": "--env is for a new training; a resumed run keeps what it began with.",
    "train --resume r --no-check": "--no-check is for a new training; a resumed run keeps what it began with.",
    "train dqn --resume r": "a resumed run keeps its algorithm: whygrad train --resume r",
    "train dqn --env E --backend mxnet": "a backend is one of jax, torch, tensorflow, and --backend says 'mxnet'",
}

REFUSED = {
    "--env CartPol-v1 --steps 9": "Environment `CartPol` doesn't exist. Did you mean: `CartPole`?",
    "--env no_such:X-v0 --steps 9": "there is no module 'no_such' to find no_such:X-v0 in.",
    "--env Taxi-v4": "for how many steps? Without a preset for dqn on Taxi-v4 it has to be said: --steps 100_000",
    "--env Pendulum-v1 --steps 9": "dqn takes discrete actions, but the action space of this environment is "
    "Box(-2.0, 2.0, (1,)), which is continuous. Algorithms for continuous actions: a2c, cql, ddpg, ppo, reinforce, "
    "sac, td3.",
    "--env Blackjack-v1 --steps 9": "No algorithm takes the observation space Tuple(Discrete(32), Discrete(11), "
    "Discrete(2)): they take Box and Discrete. gymnasium.wrappers.FlattenObservation(env) makes it a Box.",
    "--env CartPole-v1 --quiet --device tpu": "a device is cpu, gpu or gpu:N, got 'tpu'",
    "--env CartPole-v1 --quiet --device gpu:7": "there is no device 'gpu:7' here: torch sees 0 of kind gpu",
    "--env CartPole-v1 --quiet --precision float16": "precision is one of float32, bfloat16, got 'float16'",
    "--env CartPole-v1 --set gamma": "--set takes field=value, and 'gamma' has no '='.",
    "--env CartPole-v1 --set gamma=high": "gamma is a number, got 'high'.",
    "--env CartPole-v1 --set gamma=nan": "gamma is a number, got 'nan'.",
    "--env CartPole-v1 --set updates=1.5": "updates is a whole number, got '1.5'.",
    "--env CartPole-v1 --set double=maybe": "double is true or false, got 'maybe'.",
    "--env CartPole-v1 --set clip=x": "clip is a number, or none, got 'x'.",
    "--env CartPole-v1 --set hidden=a,b": "hidden is whole numbers with commas between them, such as 64,64, got 'a,b'.",
    "--env CartPole-v1 --dataset x.npz --quiet": "dqn learns from environments, not from a dataset",
}


REFUSED_WORLDS = {
    "train snake --env-set hight=6": "whygrad/Snake-v0 has no setting 'hight'. Did you mean height? Its settings are "
    "height, width, length, fruits, limit, starve, fruit_reward, step_reward, death_reward, win_reward, view.",
    "train snake --env-set height=tall": "height is a whole number, got 'tall'.",
    "train snake --env-set view=half --quiet": "view is one of tfjs, full, got 'half'",
    "train snake --env-set length=12 --quiet": "the snake starts in one row, so its length is at most the width: got "
    "length=12, width=9",
    "train snake --set trunk=tree --quiet": "trunk is one of plain, board, snake-dqn, got 'tree'",
    "train snake --minutes 0 --quiet": "minutes is more than 0, got 0.0",
    "train dqn --env CartPole-v1 --env-set 5": "--env-set takes name=value, got '5'.",
}


def test_refused_worlds(tmp_path):
    for result, said in zip(several(tmp_path, *REFUSED_WORLDS), REFUSED_WORLDS.values(), strict=True):
        assert (result.status, result.out, result.err) == (2, "", f"whygrad: {said}\n")
    assert not (tmp_path / "runs").exists()


def test_a_recipe_made_small(tmp_path):
    small = "--set hidden=4,8 lanes=4 horizon=8 minibatch=16 --env-set height=4 width=5 --evaluate-episodes 3"
    done, helped, stopped = several(
        tmp_path,
        f"train snake --steps 256 {small}",
        "train snake-dqn --help",
        f"train snake --steps 100_000 --stop-at -1000 --quiet {small}",
    )
    assert done.status == 0, done.err
    first, *_ = done.out.splitlines()
    assert first.startswith("snake, ppo on whygrad/Snake-v0: trunk=board hidden=16,32,64 lanes=64 ")
    kept = json.loads((tmp_path / "runs/ppo-whygrad_Snake-v0-0-1/settings.json").read_text())
    assert kept["plan"]["env_options"] == {"view": "full", "height": 4, "width": 5}
    assert kept["settings"]["lanes"] == 4 and kept["settings"]["reward_scale"] == 0.1
    assert "snake-dqn: TensorFlow.js' snake-dqn as it is there" in helped.out
    assert re.search(r"^ +explore_first +0\.5 ", helped.out, re.MULTILINE)
    assert stopped.status == 0, stopped.err
    rows = (tmp_path / "runs/ppo-whygrad_Snake-v0-0-2/metrics.jsonl").read_text().splitlines()
    assert json.loads(rows[-1])["step"] < 20_000  # as soon as 100 games are over


def test_refused_before_keras_is_imported(tmp_path):
    for words, said in REFUSED_AT_ONCE.items():
        result = whygrad(tmp_path, *words.split(), KERAS_BACKEND="torch")
        assert (result.status, result.out, result.err) == (2, "", f"whygrad: {said}\n")


def test_refused(tmp_path):
    results = several(tmp_path, *(f"train dqn {words}" for words in REFUSED))
    for result, said in zip(results, REFUSED.values(), strict=True):
        assert (result.status, result.out, result.err) == (2, "", f"whygrad: {said}\n")
    assert not (tmp_path / "runs").exists()


def test_refused_runs_and_settings(tmp_path):
    (tmp_path / "plain").mkdir()
    none, plain, misspelt = several(
        tmp_path, "train --resume none", "train --resume plain", "train dqn --env CartPole-v1 --set lerning_rate=1"
    )
    assert (none.status, none.err) == (2, "whygrad: There is no run at 'none': no such folder.\n")
    assert plain.status == 2
    assert plain.err.startswith("whygrad: 'plain' is not a run: it has no settings.json")
    assert misspelt.status == 2
    assert misspelt.err.startswith(
        "whygrad: dqn has no setting 'lerning_rate'. Did you mean learning_rate? Its settings are learning_rate, "
    )
    assert misspelt.err.count("\n") == 1


@pytest.mark.parametrize(
    ("absent", "backend", "said"),
    [
        ("gymnasium", "torch", "this needs gymnasium, not installed here: pip install 'whygrad[rl]'"),
        ("torch", "torch", "the backend torch is not installed here: pip install 'whygrad[torch]'"),
    ],
)
def test_what_is_not_installed(tmp_path, absent, backend, said):
    code = (
        f"import sys\nsys.modules[{absent!r}] = None\nfrom whygrad.cli.main import main\n"
        f"sys.exit(main(['train', 'dqn', '--env', 'CartPole-v1', '--backend', {backend!r}]))"
    )
    result = python(tmp_path, "-c", code)
    assert (result.status, result.out, result.err) == (2, "", f"whygrad: {said}\n")


def test_help_imports_no_keras(tmp_path):
    code = (
        "import sys\nfrom whygrad.cli.main import main\nmain(['train', '--help'])\n"
        "print([name for name in ('keras', 'numpy', 'gymnasium') if name in sys.modules], file=sys.stderr)"
    )
    result = python(tmp_path, "-c", code, COLUMNS="80")
    assert result.err == "[]\n"
    for name in ALGORITHMS.split(", "):
        assert f"\n  {name} " in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_help_of_an_algorithm(tmp_path):
    plain, tuned = several(tmp_path, "train dqn --help", "train dqn --env CartPole-v1 --help")
    assert plain.status == 0
    assert "settings of dqn (--set FIELD=VALUE):\n" in plain.out
    assert re.search(r"^  learning_rate +0\.001 +step size of Adam$", plain.out, re.MULTILINE)
    assert re.search(r"^  hidden +256,256 +widths of the hidden layers$", plain.out, re.MULTILINE)
    assert re.search(r"^  n_step +1 ", plain.out, re.MULTILINE)
    assert "presets: CartPole-v1 (50,000 steps), " in plain.out
    assert "settings of dqn, with the preset for CartPole-v1 (--set FIELD=VALUE):\n" in tuned.out
    assert re.search(r"^  n_step +3 ", tuned.out, re.MULTILINE)


def test_the_names_are_those_of_the_catalogue(tmp_path):
    code = (
        "from whygrad.cli.algorithms import algorithms\nfrom whygrad.rl.catalogue import AGENTS\n"
        "assert algorithms() == sorted(kind.NAME for kind in AGENTS), algorithms()"
    )
    write(tmp_path, names=code)
    result = agents().python(tmp_path, "names.py")
    assert result.status == 0, result.err


BROKEN = """
import sys
from keras import ops
from whygrad.cli.main import main
from whygrad.rl import catalogue

class Broken(catalogue.DQN):
    def q_loss(self, nets, batch):
        values = ops.stop_gradient(nets["q"](batch["observation"]))
        return ops.mean(ops.max(values, axis=-1) - batch["reward"]), {}

catalogue.AGENTS[:] = [Broken]
sys.exit(main(["train", "dqn", *sys.argv[1:]]))
"""


def test_a_broken_contract(tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    options = ("--env", "CartPole-v1", "--steps", "96", *TINY)
    result = agents().python(tmp_path, "broken.py", *options, COLUMNS="100")
    assert result.status == 3
    assert "error[W102] stopped" in result.err
    assert "stop_gradient" in result.err
    assert "Traceback" not in result.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_ctrl_c_and_going_on(tmp_path):
    words = ["train", "dqn", "--env", "CartPole-v1", "--steps", "10_000_000", *TINY, "--evaluate-every", "0"]
    process = subprocess.Popen(
        [*WHYGRAD, *words], cwd=tmp_path, env=environment(KERAS_BACKEND="torch"), stderr=subprocess.PIPE, text=True
    )
    beginning = tmp_path / "runs/dqn-CartPole-v1-0-1/settings.json"
    while not beginning.exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.1)
    time.sleep(3)  # into the middle of it
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    form = r"whygrad: stopped at step ([\d,]+) of 10,000,000; go on with: whygrad train --resume (\S+)\n"
    found = re.fullmatch(form, said)
    assert found, said
    further = str(int(found[1].replace(",", "")) + 64)
    result = agents().whygrad(tmp_path, "train", "--resume", found[2], "--steps", further, "--quiet")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("run folder       runs/dqn-CartPole-v1-0-1\n")


def test_an_environment_of_ones_own_in_processes(tmp_path):
    (tmp_path / "my_envs.py").write_text(
        "import gymnasium\n"
        "gymnasium.register('Mine-v0', 'gymnasium.envs.classic_control:CartPoleEnv', max_episode_steps=20)\n"
    )
    words = ("--env", "my_envs:Mine-v0", "--steps", "96", *TINY, "--set", "lanes=2", "--processes", "--no-tensorboard")
    result = agents().whygrad(tmp_path, "train", "dqn", *words)
    assert (result.status, result.err) == (0, "")
    assert "tensorboard" not in result.out
    assert (tmp_path / "runs/dqn-my_envs_Mine-v0-0-1/settings.json").exists()


def test_a_fault_of_whygrad_is_no_refusal(tmp_path):
    code = (
        "from whygrad.cli.refusals import in_sentences\n"
        "import whygrad.rl.plan, whygrad.live.run_folder\n"
        "def refuse(): raise whygrad.live.run_folder.BadRun('two\\n  lines')\n"
        "def fail(): raise ValueError('a fault')\n"
        "print(in_sentences(refuse))\n"
        "in_sentences(fail)\n"
    )
    result = python(tmp_path, "-c", code)
    assert result.out == "2\n"
    assert result.err.startswith("whygrad: two lines\nTraceback")
    assert result.err.endswith("ValueError: a fault\n")


def test_a_warning_of_our_own_is_a_sentence(tmp_path):
    code = (
        "import warnings\nfrom whygrad.cli.refusals import in_sentences\n"
        "class Ours(UserWarning): __module__ = 'whygrad.rl.x'\n"
        "in_sentences(lambda: warnings.warn('mind the step', Ours) or 0)\n"
        "in_sentences(lambda: warnings.warn('not ours') or 0)\n"
    )
    result = python(tmp_path, "-c", code)
    assert result.err == "whygrad: mind the step\n<string>:5: UserWarning: not ours\n"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    [result] = several(tmp_path, f"train dqn --env CartPole-v1 --steps 9 --root file/runs {' '.join(TINY)}")
    assert (result.status, result.out) == (2, "")
    assert result.err == "whygrad: [Errno 20] Not a directory: 'file/runs'\n"
