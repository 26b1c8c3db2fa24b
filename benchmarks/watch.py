"""What watching costs: a training step with and without it, beside the peers, all in one run.

Each contestant trains the same network from the same weights. They take turns in blocks of a fraction of a second, and
what counts is the median over rounds of a block's time by that of the plain step in the same round, because these
machines are noisy. `python benchmarks/watch.py [--network mlp] [--device cuda] [--out benchmarks/watch.json]`; wandb
and TensorBoard take part where they are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn


class Block(nn.Module):
    """A block of a transformer."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Attend, then think."""
        b, t, c = x.shape
        heads = [part.view(b, t, c // 64, 64).transpose(1, 2) for part in self.attention(self.first(x)).split(c, 2)]
        seen = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(b, t, c))
        return x + self.down(nn.functional.gelu(self.up(self.second(x))))


class Transformer(nn.Module):
    """A small language model; 12 blocks of width 768 and 50,000 words make 124 million numbers, as GPT-2 has."""

    def __init__(self, words: int, width: int, blocks: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(blocks)))
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Next words."""
        return self.head(self.blocks(self.words(x)))


def mlp(device: str) -> tuple[nn.Module, Callable[[nn.Module], torch.Tensor]]:
    """64 by 64, as in CartPole."""
    x, y = torch.randn(64, 8, device=device), torch.randn(64, 4, device=device)
    net = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4)).to(device)
    return net, lambda net: nn.functional.mse_loss(net(x), y)


def convolutions(device: str) -> tuple[nn.Module, Callable[[nn.Module], torch.Tensor]]:
    """The network of the first Atari paper."""
    x, y = torch.randn(32, 4, 84, 84, device=device), torch.randint(0, 6, (32,), device=device)
    net = nn.Sequential(
        nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(),
        nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, 6),
    ).to(device)  # fmt: skip
    return net, lambda net: nn.functional.cross_entropy(net(x), y)


def transformer(device: str) -> tuple[nn.Module, Callable[[nn.Module], torch.Tensor]]:
    """On a GPU with 124 million parameters and 16 times 1,024 words; on a CPU a small one."""
    large = device != "cpu"
    words, width, blocks, batch, length = (50_000, 768, 12, 16, 1024) if large else (1_000, 128, 4, 8, 64)
    x = torch.randint(0, words, (batch, length), device=device)

    def loss(net: nn.Module) -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16, enabled=large):
            return nn.functional.cross_entropy(net(x).flatten(0, 1), x.flatten())

    return Transformer(words, width, blocks).to(device), loss


NETWORKS = {"mlp": mlp, "convolutions": convolutions, "transformer": transformer}
Ended = Callable[[], Any]


def plain(net: nn.Module, optimizer: Any, folder: str) -> tuple[Ended, Ended]:
    """Nothing watches."""
    return lambda: None, lambda: None


def by_default(net: nn.Module, optimizer: Any, folder: str) -> tuple[Ended, Ended]:
    """`whygrad.watch(model, optimizer)`."""
    from whygrad import watch

    watching = watch(net, optimizer, run=folder)
    return lambda: None, watching.close


def every_update(net: nn.Module, optimizer: Any, folder: str) -> tuple[Ended, Ended]:
    """`whygrad.watch(model, optimizer, every=1)`."""
    from whygrad import watch

    watching = watch(net, optimizer, run=folder, every=1)
    return lambda: None, watching.close


def wandb(net: nn.Module, optimizer: Any, folder: str) -> tuple[Ended, Ended]:
    """`wandb.watch(model, log_freq=1)`, offline, with one `log` an update as its documentation has it."""
    import wandb

    run = wandb.init(mode="offline", dir=folder, settings=wandb.Settings(silent=True))
    wandb.watch(net, log="gradients", log_freq=1)
    return lambda: wandb.log({"step": 1}), run.finish


def tensorboard(net: nn.Module, optimizer: Any, folder: str) -> tuple[Ended, Ended]:
    """`add_histogram` of every gradient in every update."""
    from torch.utils.tensorboard import SummaryWriter

    writer, step = SummaryWriter(folder), iter(range(10**9))

    def write() -> None:
        number = next(step)
        for name, parameter in net.named_parameters():
            if parameter.grad is not None:
                writer.add_histogram(name, parameter.grad, number)

    return write, writer.close


def anomaly(net: nn.Module, optimizer: Any, folder: str) -> tuple[Ended, Ended]:
    """`torch.autograd.detect_anomaly`, which looks for NaN alone."""
    return lambda: None, lambda: None


CONTESTANTS = {
    "plain": plain,
    "whygrad": by_default,
    "whygrad every update": every_update,
    "wandb.watch": wandb,
    "TensorBoard by hand": tensorboard,
    "anomaly mode": anomaly,
}


def measure(network: str, device: str, rounds: int, seconds: float, only: list[str]) -> dict[str, Any]:
    """Ratios of all contestants to the plain step."""
    steps, ends = {}, []
    for name in only:
        torch.manual_seed(0)
        net, loss = NETWORKS[network](device)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
        folder = tempfile.mkdtemp()
        try:
            after, end = CONTESTANTS[name](net, optimizer, folder)
        except ImportError as error:
            print(f"{name}: {error}")
            continue
        ends.append(end)
        steps[name] = _step(net, optimizer, loss, after, name == "anomaly mode")
    count = _count(steps["plain"], device, seconds)
    times: dict[str, list[float]] = {name: [] for name in steps}
    for at in range(rounds + 1):
        for name, step in steps.items():
            took = _time(step, device, count)
            if at:  # the first round warms up
                times[name].append(took)
    for end in ends:
        end()
    rows = {
        name: {
            "ratio": round(statistics.median(t / p for t, p in zip(took, times["plain"], strict=True)), 3),
            "microseconds": round(1e6 * statistics.median(took) / count, 1),
        }
        for name, took in times.items()
    }
    print(json.dumps({network: rows}, indent=2), flush=True)
    return {"steps_in_a_block": count, "rounds": rounds, "contestants": rows}


def _step(net: nn.Module, optimizer: Any, loss: Any, after: Ended, anomalies: bool) -> Callable[[], None]:
    def step() -> None:
        optimizer.zero_grad()
        with torch.autograd.set_detect_anomaly(anomalies):
            loss(net).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        after()
        optimizer.step()

    return step


def _count(step: Callable[[], None], device: str, seconds: float) -> int:
    _time(step, device, 3)
    return max(3, round(seconds * 3 / _time(step, device, 3)))


def _time(step: Callable[[], None], device: str, count: int) -> float:
    if device != "cpu":
        torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(count):
        step()
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - began


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", nargs="*", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=0.3, help="of a block")
    parser.add_argument("--only", nargs="*", choices=CONTESTANTS, default=list(CONTESTANTS))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    os.environ.setdefault("WANDB_SILENT", "true")
    found = {
        network: measure(network, options.device, options.rounds, options.seconds, options.only)
        for network in options.network
    }
    if options.out:
        name = torch.cuda.get_device_name() if options.device != "cpu" else f"{torch.get_num_threads()} threads"
        kept = json.loads(options.out.read_text()) if options.out.exists() else {}
        kept[options.device] = {"machine": name, "torch": torch.__version__, "networks": found}
        options.out.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
