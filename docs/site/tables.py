"""Tables of measured figures, made from benchmarks/*.json, in Markdown files between two comments.

    <!-- table: speed -->
    <!-- end of table -->

`python docs/site/tables.py` (`make tables`) fills them in; a test says when one is out of date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = {"jax": "JAX", "torch": "PyTorch", "tensorflow": "TensorFlow"}
_PLACE = re.compile(r"<!-- table: ([a-z ]+) -->\n.*?<!-- end of table -->", re.DOTALL)


def read(name: str) -> Any:
    """One file of figures."""
    return json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines).replace("| ---", "|---").replace("--- |", "---|")


def returns() -> str:
    """What the last policies of every agent reach, by seed."""
    asked = {
        "dqn": ("DQN, CartPole-v1", "50,000", "475"), "ppo": ("PPO, CartPole-v1", "100,000", "490"),
        "a2c": ("A2C, CartPole-v1", "500,000", "475"), "reinforce": ("REINFORCE, CartPole-v1", "300,000", "475"),
        "ddpg": ("DDPG, Pendulum-v1", "20,000", "−160"), "td3": ("TD3, Pendulum-v1", "20,000", "−160"),
        "sac": ("SAC, Pendulum-v1", "20,000", "−160"),
    }  # fmt: skip
    found = read("learning")
    rows = [[*told, *[_seeds(found[algo].get(backend, {})) for backend in BACKENDS]] for algo, told in asked.items()]
    return markdown(["", "steps", "wanted", *BACKENDS.values()], rows)


def _seeds(runs: dict[str, Any]) -> str:
    if not runs:
        return "not run"
    numbers = ", ".join(f"{runs[seed]['return']:.0f}" for seed in sorted(runs)).replace("-", "−")
    return numbers + {1: " (one seed)", 2: " (two seeds)"}.get(len(runs), "")


def speed() -> str:
    """Steps per second beside Stable-Baselines3 and SBX."""
    tasks = {"dqn": "DQN, CartPole", "ppo": "PPO, CartPole", "sac": "SAC, Pendulum"}
    names = {"sb3": "Stable-Baselines3", "sbx": "SBX", "torch": "whygrad, PyTorch", "tensorflow": "whygrad, TensorFlow",
             "jax": "whygrad, JAX"}  # fmt: skip
    found = read("rl_speed")
    rows = [[told, *[_pace(found[task], name) for task in tasks]] for name, told in names.items()]
    return markdown(["steps per second, whole / compiled (against Stable-Baselines3)", *tasks.values()], rows)


def _pace(task: dict[str, Any], name: str) -> str:
    if name not in task:
        return "not run"
    whole, compiled = task[name]["whole"], task[name]["compiled"]
    text = f"{whole:,.0f} / {compiled:,.0f}"
    if name == "sb3":
        return text
    return f"{text} ({whole / task['sb3']['whole']:.1f}x / **{compiled / task['sb3']['compiled']:.1f}x**)"


def offline() -> str:
    """CQL beside plain offline DQN."""
    rows = []
    for backend, found in sorted(read("offline").items()):
        for told, conservative in (("CQL", True), ("plain offline (double) DQN", False)):
            mine = [run for run in found["runs"] if bool(run["alpha"]) == conservative]
            keys = ("return", "value", "discounted_return")
            shown = [", ".join(f"{run[key]:.0f}" for run in mine) for key in keys]
            rows.append([f"{told}, {BACKENDS[backend]}", *shown])
    head = ["", "return of the last policy", "value of the first observation", "what came of it, discounted"]
    return markdown(head, rows)


def watching() -> str:
    """What watching costs on three networks."""
    found = read("watch")["cpu"]["networks"]
    mlp = {**found["mlp, with all peers"]["contestants"], **found["mlp"]["contestants"]}
    networks = [mlp, found["convolutions"]["contestants"], found["transformer"]["contestants"]]
    names = {"whygrad": "`whygrad.watch`, by default", "whygrad every update": "`whygrad.watch`, every update",
             "wandb.watch": "`wandb.watch` 0.21, offline, every update",
             "TensorBoard by hand": "TensorBoard histograms by hand, every update",
             "anomaly mode": "anomaly mode"}  # fmt: skip
    rows = [[told, *[_ratio(network[name]["ratio"]) for network in networks]] for name, told in names.items()]
    return markdown(["", "64x64 MLP", "network for Atari (1.7 M)", "small transformer (0.9 M)"], rows)


def peers() -> str:
    """What a step costs and what is said about a gradient that is missing."""
    found, watch = read("results"), read("watch")["cpu"]["networks"]
    mlp = found["torch"]["64x64 MLP"]["ratio_to_plain"]
    newer = found.get("torch, numbers read", found["torch"])["64x64 MLP"]["ratio_to_plain"]
    others = found["torch-peers"]["64x64 MLP"]["ratio_to_plain"]
    watched = {**watch["mlp, with all peers"]["contestants"], **watch["mlp"]["contestants"]}
    rows = [
        ["**`whygrad run`**, the first updates; then", "operation, line, reason, repair", "PyTorch, TensorFlow, JAX",
         f"**{_ratio(newer['deep']['median'])}**; {mlp['released']['median']:.2f}"],
        ["PyTorch's anomaly mode", "nothing: it speaks of NaN and of a backward that fails", "PyTorch",
         _ratio(mlp["anomaly mode"]["median"])],
        [f"TorchLens {others['TorchLens']['version']}", "nothing: it shows the gradients that were saved",
         "PyTorch; others in preview", _ratio(others["TorchLens"]["median"])],
        [f"TrainCheck {others['TrainCheck']['version']}, collecting",
         "a broken invariant, learned from runs that are right", "PyTorch", _ratio(others["TrainCheck"]["median"])],
        ["**`whygrad.watch`**, a whole training", "that it is missing, at once", "PyTorch, TensorFlow, JAX",
         f"**{_ratio(watched['whygrad']['ratio'])}**"],
        ["`wandb.watch`, every update, offline", "nothing: no point in the chart", "PyTorch",
         _ratio(watched["wandb.watch"]["ratio"])],
        ["TensorBoard histograms, by hand", "what you write yourself", "any",
         _ratio(watched["TensorBoard by hand"]["ratio"])],
    ]  # fmt: skip
    head = ["", "says about a missing gradient", "frameworks", "time of a step, by a plain one"]
    return markdown(head, rows)


def _ratio(value: float) -> str:
    if value >= 20:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 2 else f"{value:.2f}"


def costs() -> str:
    """What recording costs."""
    found = read("results")
    rows = []
    kinds = {
        "deep": "deep", "deep, first step": "deep, the first step of a recording", "released": "released",
        "anomaly mode": "torch anomaly mode", "untraced eager step": "the same step untraced and eager",
    }  # fmt: skip
    for framework, called in (("torch", "PyTorch"), ("tensorflow", "Keras on TensorFlow")):
        for network, figures in found[framework].items():
            name = f"{called}, {network}"
            for kind, told in kinds.items():
                if kind in figures["ratio_to_plain"]:
                    rows.append([name, told, _spread(figures["ratio_to_plain"][kind])])
                    name = ""
    for peer, figures in found["torch-peers"]["64x64 MLP"]["ratio_to_plain"].items():
        name = "PyTorch, 64x64 MLP" if peer == "TorchLens" else ""
        rows.append([name, f"{peer} {figures['version']}", _spread(figures)])
    return markdown(["step", "variant", "ratio to plain (quartiles)"], rows)


def _spread(figures: dict[str, float]) -> str:
    middle, low, high = (_ratio(figures[key]) for key in ("median", "q1", "q3"))
    return f"**{middle}** ({low} to {high})"


TABLES: dict[str, Callable[[], str]] = {
    "returns": returns, "speed": speed, "offline": offline, "watching": watching, "peers": peers, "costs": costs,
}  # fmt: skip


def filled(text: str) -> str:
    """A Markdown text with its tables as the figures are now."""
    return _PLACE.sub(lambda place: f"<!-- table: {place[1]} -->\n{TABLES[place[1]]()}\n<!-- end of table -->", text)


def files() -> list[Path]:
    """Every Markdown file with a place for a table."""
    found = [ROOT / "README.md", ROOT / "benchmarks/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if _PLACE.search(path.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    for path in files():
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path.relative_to(ROOT))
