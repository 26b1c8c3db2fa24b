"""Every extra alone, all of them, and each in the oldest versions: installed from the wheel into an empty environment,
and used. `make test-wheel` does it; it downloads gigabytes and takes long, so it is no part of `make test`.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from building import PROGRAMS, ROOT, Environment, Result, execute

OPTIONAL = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
TORCH = next(one for one in OPTIONAL["dev"] if one.startswith("torch=="))  # this version comes without CUDA
BACKENDS = ("torch", "tensorflow", "jax")

pytestmark = pytest.mark.timeout(2400)


@pytest.fixture(scope="session")
def watched(tmp_path_factory):
    """The folder with a run that was watched, made with what the tests themselves run on."""
    folder = tmp_path_factory.mktemp("watched")
    fine(execute([sys.executable, str(PROGRAMS / "healthy_torch.py")], folder))
    return folder / "runs" / "healthy_torch-1"


def fine(done: Result) -> str:
    assert done.status == 0, done.err
    return done.out


def diagnose(environment: Environment, folder: Path, framework: str) -> None:
    program = PROGRAMS / f"broken_{framework}.py"
    out = fine(environment.whygrad(folder, "run", "--json", "report.json", str(program)))
    assert out == "trained\n"
    report = json.loads((folder / "report.json").read_text())
    assert [finding["code"] for finding in report["findings"]] == ["W102"]
    assert report["frameworks"] == [framework]
    code = report["findings"][0]["where"]["code"]
    assert "stop_gradient" in code or "detach" in code


def train(environment: Environment, folder: Path, backend: str) -> str:
    """A short training with what is there to be done with a run afterwards; where it lies."""
    words = "train dqn --env CartPole-v1 --steps 500 --quiet --evaluate-every 0 --no-preset --set learning_starts=100"
    assert "run folder" in fine(environment.whygrad(folder, *words.split(), "--backend", backend))
    run = max((folder / "runs").iterdir(), key=lambda path: path.stat().st_mtime)
    (folder / "found.json").write_text(
        fine(environment.whygrad(folder, "evaluate", str(run), "--episodes", "2", "--json", KERAS_BACKEND=backend))
    )
    assert json.loads((folder / "found.json").read_text())["backend"] == backend
    return str(run)


def torch(environment: Environment, folder: Path, _: Path) -> None:
    diagnose(environment, folder, "torch")


def tensorflow(environment: Environment, folder: Path, _: Path) -> None:
    diagnose(environment, folder, "tensorflow")


def jax(environment: Environment, folder: Path, _: Path) -> None:
    diagnose(environment, folder, "jax")


def rl(environment: Environment, folder: Path, _: Path) -> None:
    run = train(environment, folder, "jax")
    fine(environment.whygrad(folder, "play", run, "--max-steps", "20"))
    assert Path(run, "play.gif").stat().st_size > 1000
    fine(environment.whygrad(folder, "play", run, "--max-steps", "20", "--out", "film.mp4"))
    assert (folder / "film.mp4").stat().st_size > 1000
    fine(environment.whygrad(folder, "collect", "--run", run, "--steps", "50", "--out", "data.h5"))
    for form in ("tfjs", "keras"):
        assert "written" in fine(environment.whygrad(folder, "export", run, "--to", form))
    assert "1 run" in fine(environment.whygrad(folder, "runs"))
    refused = environment.whygrad(folder, "export", run, "--to", "onnx")
    assert "pip install 'whygrad[onnx]'" in refused.err


def onnx(environment: Environment, folder: Path, _: Path) -> None:
    run = train(environment, folder, "jax")
    assert "written" in fine(environment.whygrad(folder, "export", run, "--to", "onnx", "--out", "net.onnx"))
    check = "import onnx; onnx.checker.check_model(onnx.load('net.onnx'), full_check=True)"
    fine(environment.python(folder, "-c", check))


def watch(environment: Environment, folder: Path, _: Path) -> None:
    fine(environment.python(folder, str(PROGRAMS / "healthy_torch.py")))
    fine(environment.whygrad(folder, "run", "--watch", str(PROGRAMS / "broken_torch.py")))
    listed = fine(environment.whygrad(folder, "runs"))
    assert "healthy_torch-1" in listed
    assert "broken_torch-1" in listed
    assert list((folder / "runs" / "broken_torch-1").glob("**/events.out.*"))
    refused = environment.whygrad(folder, "plot", "healthy_torch-1")
    assert "pip install 'whygrad[plot]'" in refused.err


def plot(environment: Environment, folder: Path, watched: Path) -> None:
    for name in ("picture.png", "picture.svg"):
        fine(environment.whygrad(folder, "plot", str(watched), "--out", name))
        assert (folder / name).stat().st_size > 5000


def ray(environment: Environment, folder: Path, _: Path) -> None:
    words = "sweep dqn --env CartPole-v1 --over seed=1..2 --steps 300 --parallel 1 --quiet --backend jax --no-preset"
    fine(environment.whygrad(folder, *words.split(), seconds=900))


def everything(environment: Environment, folder: Path, watched: Path) -> None:
    for framework in BACKENDS:
        diagnose(environment, folder, framework)
        run = train(environment, folder, framework)
        assert "written" in fine(environment.whygrad(folder, "export", run, "--to", "onnx", KERAS_BACKEND=framework))
    fine(environment.python(folder, str(PROGRAMS / "healthy_torch.py")))
    plot(environment, folder, watched)


USES: dict[str, tuple[str, Callable[[Environment, Path, Path], None]]] = {
    "torch": ("torch", torch),
    "tensorflow": ("tensorflow", tensorflow),
    "jax": ("jax", jax),
    "rl": ("rl,jax", rl),
    "onnx": ("onnx,rl,jax", onnx),
    "watch": ("watch,torch", watch),
    "plot": ("plot", plot),
    "ray": ("ray,rl,jax", ray),
    "all": ("all", everything),
}
"""What is installed to see that an extra works, and what is done with it."""


def test_every_extra_is_here():
    assert set(USES) == set(OPTIONAL) - {"dev", "docs"}


OLDEST = [name for name in USES if name not in ("torch", "all", "ray")]
"""Other builds of PyTorch than one come with gigabytes of CUDA, and Ray's oldest version is the only one so far."""


@pytest.mark.parametrize("extra", USES)
def test_extra(extra, wheel, watched, tmp_path):
    installed, use = USES[extra]
    pins = [TORCH] if {"torch", "all"} & set(installed.split(",")) else []
    with Environment(tmp_path / "venv") as environment:
        environment.install(f"{wheel}[{installed}]", *pins)
        folder = tmp_path / "work"
        folder.mkdir()
        lacks = json.loads(fine(environment.whygrad(folder, "info", "--json")))["extras"]
        wanted = lacks if extra == "all" else installed.split(",")
        assert {name: lacks[name] for name in wanted} == {name: [] for name in wanted}
        use(environment, folder, watched)


@pytest.mark.parametrize("extra", OLDEST)
def test_oldest_versions(extra, wheel, watched, tmp_path):
    installed, use = USES[extra]
    names = installed.split(",")
    pins = [one.replace(">=", "==") for name in names if name != "torch" for one in OPTIONAL[name]]
    pins = [one for one in pins if not (one == "numpy==1.26.4" and "numpy==2.0" in pins)]
    with Environment(tmp_path / "venv") as environment:
        environment.install(str(wheel), *pins, *([TORCH] if "torch" in names else []))
        folder = tmp_path / "work"
        folder.mkdir()
        use(environment, folder, watched)
