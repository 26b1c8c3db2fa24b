"""What a training is asked to do, apart from the agent: plain data that a run folder keeps."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

PRECISIONS = ("float32", "bfloat16")


class BadPlan(ValueError):
    """What a training is asked to do cannot be done; the message says what to ask for instead."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long, where, and what happens now and then. Counts are in steps of the environments."""

    env: str | None
    """A Gymnasium id; None when the environment was given as a function."""
    steps: int
    seed: int = 0
    env_options: dict[str, Any] = field(default_factory=dict)
    """Given to `gymnasium.make`."""
    processes: bool = False
    """Environments step in processes of their own on this machine, for those that are slow."""
    workers: int = 0
    """So many Ray workers collect experience; 0: this process does."""
    ray: str | None = None
    """The address of a Ray cluster; None: Ray on this machine alone, for the length of the training."""
    worker_cpus: float = 1.0
    """CPUs of the cluster that a worker takes up; less than 1 for environments that mostly wait."""
    learners: int = 1
    """Processes that share the work of an update, each with its part of the batch (PyTorch)."""
    max_lag: int = 1_000
    """Updates that the policy of a worker may be behind, off-policy; learning waits for it then."""
    patience: float = 120.0
    """Seconds without a step after which a worker counts as hanging and is replaced."""
    compile: bool = False
    """Have `torch.compile` make machine code of what PyTorch runs. It takes a while at first; others always compile."""
    precision: str = "float32"
    """`bfloat16`: hidden layers compute with half the bits; weights, outputs and losses keep all of them."""
    dataset: str | None = None
    """The file that an offline agent learns from; a step is then an update."""
    evaluate_every: int | None = None
    """Default: twenty times in a training. 0: never."""
    evaluate_episodes: int = 10
    checkpoint_every: int | None = None
    """Default: ten times in a training, at least 5,000 steps apart. 0: never."""
    log_every: int | None = None
    """Default: a hundred times in a training."""
    stop_at: float | None = None
    """End the training once the mean return of the last 100 episodes has reached this."""
    minutes: float | None = None
    """End the training after so long, whatever its steps."""
    tensorboard: bool = True
    histograms: bool = True
    """Also write gradients before and after clipping as histograms, as often as takes at most 3 % of the time."""
    watch: bool = True
    """Look after the gradients: `whygrad view` shows them. Takes about a fiftieth of the time."""
    check: bool = True
    """Have the diagnoser check the contract of every loss before the first update."""

    def __post_init__(self) -> None:
        counts = ("steps", 1), ("seed", 0), ("evaluate_episodes", 1), ("workers", 0), ("learners", 1), ("max_lag", 1)
        for name, least in counts:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise BadPlan(f"{name} is a whole number, {least} or more, got {value!r}")
        defaults = {
            "evaluate_every": max(1, self.steps // 20),
            "checkpoint_every": max(min(5_000, self.steps), self.steps // 10),
            "log_every": max(1, self.steps // 100),
        }
        for name, default in defaults.items():
            value = getattr(self, name)
            if value is None:
                object.__setattr__(self, name, default)
            elif not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise BadPlan(f"{name} is a whole number of steps, 0 for never, got {value!r}")

        for name in ("minutes", "worker_cpus", "patience"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise BadPlan(f"{name} is more than 0, got {value!r}")
        if self.precision not in PRECISIONS:
            raise BadPlan(f"precision is one of {', '.join(PRECISIONS)}, got {self.precision!r}")

    def until(self, steps: int | None) -> Plan:
        """The same with another total. Everything that happens now and then keeps its pace."""
        return self if steps is None else replace(self, steps=steps)

    def as_data(self) -> dict[str, Any]:
        """For a run folder."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Plan:
        """What `as_data` gave; fields that this version does not know are an error that names them."""
        if isinstance(data.get("workers"), bool):  # before there were workers elsewhere, this was said of processes
            data = {**data, "workers": 0, "processes": data["workers"]}
        known = {f.name for f in fields(cls)}
        unknown = sorted(set(data) - known)
        if unknown:
            raise BadPlan(f"this run was made by another version of whygrad: its plan has {', '.join(unknown)}")
        return cls(**data)
