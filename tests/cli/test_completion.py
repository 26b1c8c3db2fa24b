"""What the shells make of `whygrad completion`: the real ones, where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli_runs import whygrad
from shells import Typed

from whygrad.cli.completions.tree import Option, all_commands, tree
from whygrad.cli.completions.values import TEXT
from whygrad.cli.main import COMMANDS, whole_parser
from whygrad.rules.catalogue import RULES

RULE_WORDS = {word for rule in RULES for word in (rule.code, rule.name)}
AGENTS = {"a2c", "cql", "ddpg", "dqn", "ppo", "reinforce", "sac", "td3"}
BACKENDS = {"jax", "torch", "tensorflow"}

OFFERS = [
    # what is typed, what has to be offered, what must not be
    ("", {"run", "train", "runs", "completion"}, {"compare", "train.py"}),
    ("tr", {"train"}, {"run"}),
    ("--", {"--help", "--version"}, {"--json"}),
    ("explain ", RULE_WORDS, {"train.py"}),
    ("explain W10", {f"W10{n}" for n in range(1, 10)}, {"W201"}),
    ("train ", AGENTS | {"snake-dqn"}, {"train.py"}),
    ("probe ", AGENTS, {"snake-dqn"}),
    ("train dqn --", {"--env", "--backend", "--set", "--resume"}, {"--html"}),
    ("train dqn --backend ", BACKENDS, {"train.py"}),
    ("train dqn --env Cart", {"CartPole-v1"}, {"Pendulum-v1"}),
    ("train dqn --env whygrad/", {"whygrad/Snake-v0"}, {"CartPole-v1"}),
    ("train dqn --precision ", {"float32", "bfloat16"}, {"train.py"}),
    ("train dqn --seed ", set(), {"train.py", "dqn"}),
    ("train dqn --set gamma=0.9 hidden=8 --ba", {"--backend"}, {"train.py"}),
    ("train dqn --root ", {"runs/"}, {"train.py"}),
    ("run ", {"train.py", "runs/"}, {"error"}),
    ("run --fail-on ", {"error", "warning"}, {"train.py"}),
    ("run --js", {"--json"}, {"--html"}),
    ("run --json ", {"report.json", "train.py"}, {"--html"}),
    ("run train.py ", {"report.json", "train.py"}, {"error"}),
    ("report ", {"report.json"}, {"error"}),
    ("export runs --to ", {"tfjs", "onnx", "keras"}, {"train.py"}),
    ("plot runs/", {"runs/dqn-1/"}, {"train.py"}),
    ("runs ", {"compare", "clean", "runs/"}, {"train.py", "list"}),
    ("runs cl", {"clean"}, {"compare"}),
    ("runs compare ", {"runs/"}, {"train.py", "clean"}),
    ("runs clean --", {"--older-than", "--yes"}, {"--html"}),
    ("completion ", {"bash", "zsh", "fish"}, {"train.py"}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder to complete in, with the three scripts beside it."""
    made = tmp_path_factory.mktemp("completion")
    (made / "runs" / "dqn-1").mkdir(parents=True)
    (made / "train.py").touch()
    (made / "report.json").touch()
    for shell in ("bash", "zsh", "fish"):
        result = whygrad(made, "completion", shell)
        assert (result.status, result.err) == (0, "")
        (made / f".{shell}").write_text(result.out)
    return made


def asked(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout


def check(offers: list[set[str]]) -> None:
    for (typed, wanted, unwanted), found in zip(OFFERS, offers, strict=True):
        assert wanted <= found, f"`whygrad {typed}` lacks {sorted(wanted - found)}, offered {sorted(found)}"
        assert not unwanted & found, f"`whygrad {typed}` offers {sorted(unwanted & found)}"


def test_bash(folder):
    lines = ["source .bash", "compopt() { :; }"]  # it is there only while somebody types
    for typed, _, _ in OFFERS:
        words = f"whygrad {typed}".split(" ")
        lines.append(f"COMP_WORDS=({' '.join(w or repr('') for w in words)}); COMP_CWORD={len(words) - 1}; _whygrad")
        lines.append('printf "%s\\n" "${COMPREPLY[@]}"; echo ---')
    text = asked(["bash", "--norc", "-c", "\n".join(lines)], folder)
    offers = [set(part.split()) for part in text.split("---\n")[:-1]]
    # bash itself adds the slash to a folder
    check([offer | {f"{word}/" for word in offer if (folder / word).is_dir()} for offer in offers])


def test_bash_as_it_is_typed(folder):
    with Typed(["bash", "--norc", "--noprofile", "-i"], folder, "source .bash") as bash:
        assert bash.line_after("whygrad compl") == "whygrad completion"
        assert bash.line_after("whygrad train dqn --backend=tor") == "whygrad train dqn --backend=torch"
        assert bash.line_after("whygrad export --to tf") == "whygrad export --to tfjs"
        assert bash.line_after("whygrad run tr") == "whygrad run train.py"
        assert bash.line_after("whygrad run rep") == "whygrad run rep"  # no program
        assert bash.line_after("whygrad play ru") == "whygrad play runs/"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_as_it_is_typed(folder):
    prepare = "autoload -Uz compinit; compinit -u -D; unsetopt auto_remove_slash; source .zsh"
    with Typed(["zsh", "-f", "-i"], folder, prepare) as zsh:
        for typed, completed in {
            "compl": "completion",
            "completion fi": "completion fish",
            "explain W10": "explain W10",
            "explain unrec": "explain unrecorded",
            "train td": "train td3",
            "train dqn --backend ten": "train dqn --backend tensorflow",
            "train dqn --backend=ten": "train dqn --backend=tensorflow",
            "train dqn --set gamma=0.9 --backe": "train dqn --set gamma=0.9 --backend",
            "export --to on": "export --to onnx",
            "run tr": "run train.py",
            "run --js": "run --json",
            "run train.py --js": "run train.py --js",
            "run train.py repo": "run train.py report.json",
            "report repo": "report report.json",
            "play ru": "play runs/",
            "runs cl": "runs clean",
            "runs clean --kee": "runs clean --keep",
            "runs compare ru": "runs compare runs/",
            "runs ru": "runs runs/",
        }.items():
            assert zsh.line_after(f"whygrad {typed}") == f"whygrad {completed}"


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish(folder):
    lines = ["source .fish", *(f"complete -C 'whygrad {typed}'; echo ---" for typed, _, _ in OFFERS)]
    text = asked(["fish", "--no-config", "-c", "\n".join(lines)], folder)
    offers = [{line.partition("\t")[0] for line in part.splitlines()} for part in text.split("---\n")[:-1]]
    check(offers)


def test_every_command_and_option_is_there(folder):
    commands = tree(whole_parser())
    assert [one.name for one in commands.inner] == [command.NAME for command in COMMANDS]
    options: list[Option] = [option for one in all_commands(commands) for option in one.options]
    assert len(options) > 80
    texts = {shell: (folder / f".{shell}").read_text() for shell in ("bash", "zsh", "fish")}
    for name in (name for option in options for name in option.names):
        assert name in texts["bash"]
        assert name in texts["zsh"]
        assert f" -l {name[2:]} " in texts["fish"] or f" -s {name[1:]} " in texts["fish"]


def test_of_every_value_it_is_known_what_it_can_be():
    """A new option would otherwise be completed as if any text would do, without anybody having thought of it."""
    commands = all_commands(tree(whole_parser()))
    values = [option.value for one in commands for option in one.options if option.value is not None]
    values += [place.value for one in commands for place in one.places]
    unknown = {value.called for value in values if value.kind == "text"} - set(TEXT)
    assert unknown == set(), "say in cli/completions/values.py what these can be"
