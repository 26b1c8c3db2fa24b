"""Runs made by hand, through the store that real ones go through. As a program: `made_runs.py FOLDER [KIND …]`."""

from __future__ import annotations

import json
import math
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from whygrad.live import buckets, looks
from whygrad.live.event import Event
from whygrad.live.looks import INDEX, Looks
from whygrad.live.spreads import Spread
from whygrad.live.store import Store, Variable

HOSTILE = "<img src=x onerror=alert(1)>"
DEAD, DIES = "critic.2.weight", 3_000


def actor_critic() -> list[Variable]:
    sizes = {"actor": (17, 64, 64, 6), "critic": (23, 64, 64, 1)}
    found = []
    for network, widths in sizes.items():
        for at, (inside, outside) in enumerate(pairwise(widths)):
            found.append(Variable(f"{network}.{2 * at}.weight", network, (outside, inside)))
            found.append(Variable(f"{network}.{2 * at}.bias", network, (outside,)))
    return found


def look(at: int, rows, count: int = 1) -> Looks:
    return Looks(at, at + count - 1, count, time.time(), rows)


def rows_of(norms, rng, zeros=0.02, ratio=1e-3, clip=None):
    """A look of these norms, with plausible other numbers."""
    rows = looks.empty(len(norms))
    total = math.sqrt(float(np.nansum(np.square(norms))))
    taken = 1.0 if clip is None or total <= clip else clip / total
    rows[:, INDEX["present"]] = 1.0
    rows[:, INDEX["norm"]] = rows[:, INDEX["peak"]] = norms
    rows[:, INDEX["mean"]] = norms * rng.normal(0, 0.01, len(norms))
    rows[:, INDEX["largest"]] = norms * rng.uniform(0.15, 0.4, len(norms))
    rows[:, INDEX["zeros"]] = np.where(norms == 0, 1.0, np.clip(rng.normal(zeros, 0.01, len(norms)), 0, 1))
    rows[:, INDEX["applied"]] = norms * taken
    rows[:, INDEX["ratio"]] = np.where(norms == 0, 0.0, ratio * rng.lognormal(0, 0.2, len(norms)))
    rows[:, INDEX["weights"]] = rng.uniform(3, 9, len(norms))
    return rows


def histograms(norms, variables, rng, count):
    found = np.zeros((len(variables), buckets.COUNT), np.int64)
    for at, (norm, variable) in enumerate(zip(norms, variables, strict=True)):
        size = min(math.prod(variable.shape), 600)
        scale = norm / math.sqrt(math.prod(variable.shape))
        numbers = rng.standard_normal(size) * scale * np.exp(rng.normal(0, 0.8, size))
        numbers[rng.random(size) < 0.04] = 0.0
        found[at] = buckets.count(numbers.astype(np.float32)) * count
    return found


def make_actor_critic(folder, updates=6_000, every=4) -> None:
    """Twelve variables; a layer of the critic dies at 3,000, the actor's clip takes nearly everything at 4,200, and
    one bias has a NaN at 5,000."""
    rng = np.random.default_rng(3)
    store, variables = Store(folder), actor_critic()
    store.about(name="actor-critic", framework="torch", program="train_td3.py", device="cpu")
    halves = {"actor": variables[:6], "critic": variables[6:]}
    groups = {name: store.group(f"{name} · Adam", some) for name, some in halves.items()}
    base = {"actor": np.array([0.12, 0.03, 0.3, 0.05, 0.5, 0.16]), "critic": np.array([0.9, 0.15, 1.6, 0.3, 2.4, 0.8])}
    wander = {name: np.zeros(6) for name in halves}
    for at in range(0, updates, every):
        part = at / updates
        for name, some in halves.items():
            wander[name] = 0.985 * wander[name] + rng.normal(0, 0.05, 6)
            fall = math.exp(-1.6 * part) + 0.16
            norms = base[name] * fall * np.exp(wander[name] + rng.normal(0, 0.13, 6))
            if name == "critic" and at >= DIES:
                norms[2] = norms[3] = 0.0
                norms[0] *= 0.02
                norms[1] *= 0.02
            if name == "actor" and at < 160:
                norms *= 1 + 8 * math.exp(-at / 40)
            if name == "actor" and 4_200 <= at < 4_320:
                norms *= 300
            rows = rows_of(norms, rng, zeros=0.35 if name == "critic" else 0.05, clip=1.0 if name == "actor" else None)
            if name == "actor" and at < 320:  # the policy waits for the critic
                rows[:] = looks.empty(6)
            if name == "actor" and at == 5_000:
                rows[3, INDEX["nans"]], rows[3, INDEX["norm"]] = 5, np.nan
            store.looks(groups[name], [look(at, rows)])
            if at % 40 == 0 and not (name == "actor" and at < 320):
                store.spread(groups[name], Spread(at, at + 39, 10, histograms(norms, some, rng, 10)))
        reward = 340 * (1 - math.exp(-4 * part)) * (1 if at < DIES else 1 - 0.5 * (part - 0.5)) - 20
        store.scalar("return", at, reward + rng.normal(0, 26))
        store.scalar(
            "critic.loss", at, (6 * math.exp(-3 * part) + 0.6 + (0.9 if at > DIES else 0)) * rng.lognormal(0, 0.3)
        )
        store.scalar("actor.loss", at, -2 - 30 * part + rng.normal(0, 1.5))
        store.scalar("norm", at, float(math.exp(-1.6 * part) * rng.lognormal(0.9, 0.25)))
    tell = [
        ("actor", 0, "absent", "W109", "actor.0.weight", "`actor` got no gradient in the first 80 looks."),
        (
            "critic",
            DIES,
            "died",
            "W401",
            DEAD,
            "The gradient of `critic.2.weight` is zero since update 3,000: its units are dead.",
        ),
        (
            "actor",
            4_200,
            "clipped",
            "W405",
            "",
            "The clip takes 99 % of the gradient: its norm was 160, the limit is 1.",
        ),
        (
            "actor",
            5_000,
            "not finite",
            "W402",
            "actor.2.bias",
            "The gradient of `actor.2.bias` has 5 NaN, for the first time.",
        ),
    ]
    for name, at, kind, code, variable, text in tell:
        store.event(groups[name], Event(at, kind, code, variable, text))
    for group in groups.values():
        store.progress(group, updates, updates // every, every)
    store.close()


def make_big(folder, layers=100, updates=1_000_000, dead=57) -> None:
    """A hundred layers of two variables and a million updates, thinned as the store thins them."""
    rng = np.random.default_rng(5)
    store = Store(folder)
    variables = [
        Variable(
            f"block{at // 4:02d}.{at % 4}.{part}", f"block{at // 4:02d}", (512, 512) if part == "weight" else (512,)
        )
        for at in range(layers)
        for part in ("weight", "bias")
    ]
    store.about(name="big", framework="torch", parameters=26_265_600)
    group = store.group("AdamW", variables)
    depth = np.repeat(np.linspace(0, 1, layers), 2)
    size = updates // 1500
    for at in range(0, updates, size):
        part = at / updates
        norms = 10 ** (
            -2.5 + 2.2 * depth - 0.8 * part + rng.normal(0, 0.12, 2 * layers) - 0.5 * np.tile([0, 1], layers)
        )
        if part > 0.6:
            norms[2 * dead : 2 * dead + 2] = 0.0
        store.looks(group, [look(at, rows_of(norms, rng), size)])
        if at % (size * 6) == 0:
            store.spread(group, Spread(at, at + size * 6 - 1, 6, histograms(norms, variables, rng, 6)))
        store.scalar("loss", at, 4 * math.exp(-2 * part) + rng.normal(0, 0.05) + 1)
    store.event(group, Event(int(updates * 0.6), "died", "W401", variables[2 * dead].name, "zero since then"))
    store.progress(group, updates, updates, 1)
    store.close()


def make_hostile(folder) -> None:
    """Names and texts that would run, if the page let them."""
    rng = np.random.default_rng(7)
    store = Store(folder)
    variables = [Variable(HOSTILE, "</script><script>alert(2)</script>", (4, 4)), Variable("ok", "net", (4,))]
    store.about(name=HOSTILE, framework="<b>torch</b>")
    group = store.group("<svg onload=alert(3)>", variables)
    for at in range(40):
        norms = rng.uniform(0.5, 1.5, 2)
        store.looks(group, [look(at, rows_of(norms, rng))])
        store.spread(group, Spread(at, at, 1, histograms(norms, variables, rng, 1)))
        store.scalar("loss<img src=x onerror=alert(4)>", at, float(at))
    store.event(group, Event(3, HOSTILE, "W401", HOSTILE, HOSTILE))
    store.progress(group, 40, 40, 1)
    store.close()


def make_live(folder, seconds=30.0) -> None:
    """A run that keeps writing, until the time is over."""
    rng = np.random.default_rng(9)
    store, variables = Store(folder), actor_critic()[:6]
    store.about(name="live", framework="torch")
    group = store.group("Adam", variables)
    begun, at = time.monotonic(), 0
    while time.monotonic() - begun < seconds:
        norms = 0.4 * rng.lognormal(0, 0.3, 6)
        store.looks(group, [look(at, rows_of(norms, rng))])
        if at % 5 == 0:
            store.spread(group, Spread(at, at, 1, histograms(norms, variables, rng, 1)))
        store.scalar("loss", at, 3 * math.exp(-at / 300) + rng.normal(0, 0.1))
        store.progress(group, at + 1, at + 1, 1)
        if at == 25:
            store.event(group, Event(25, "died", "W401", variables[2].name, "The gradient is zero since update 25."))
        at += 1
        time.sleep(0.05)
    store.close()


def make_metrics_only(folder, env="CartPole-v1") -> None:
    """A run of an agent from before it was watched."""
    folder = Path(folder)
    folder.mkdir(parents=True)
    plan = {"env": env, "steps": 50_000, "seed": 0}
    (folder / "settings.json").write_text(json.dumps({"agent": "dqn", "plan": plan, "versions": {"backend": "jax"}}))
    rng = np.random.default_rng(1)
    with (folder / "metrics.jsonl").open("w") as file:
        for step in range(500, 50_001, 500):
            row = {"step": step, "seconds": step / 900, "return": 500 * (1 - math.exp(-step / 2e4)) + rng.normal(0, 15)}
            row |= {"q.loss": None if step == 9_000 else rng.lognormal(-1, 0.4), "q.norm": rng.lognormal(0, 0.5)}
            file.write(json.dumps(row) + "\n")


MAKERS = {
    "td3-walker": make_actor_critic,
    "deep-mlp": make_big,
    "hostile": make_hostile,
    "dqn-CartPole-v1-0-1": make_metrics_only,
    "live": make_live,
}

if __name__ == "__main__":
    root = Path(sys.argv[1])
    for kind in sys.argv[2:] or list(MAKERS):
        if not (root / kind).exists():
            MAKERS[kind](root / kind)
