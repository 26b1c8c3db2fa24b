"""whygrad export and whygrad import."""

from __future__ import annotations

import json
import re

import pytest
from cli_runs import write
from rl_runs import TINY, agents, several

RUN = "runs/dqn-CartPole-v1-0-1"
SCALED = "runs/ppo-Pendulum-v1-0-1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("exported")
    words = ("--env", "CartPole-v1", "--steps", "96", *TINY, "--no-tensorboard")
    assert agents().whygrad(made, "train", "dqn", *words).status == 0
    words = (
        "--env",
        "Pendulum-v1",
        "--steps",
        "64",
        "--set",
        "hidden=8",
        "lanes=2",
        "horizon=16",
        "minibatch=16",
        "normalise_observations=true",
    )
    done = agents().whygrad(made, "train", "ppo", *words, "--quiet", "--no-tensorboard")
    assert done.status == 0, done.err
    return made


def names(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir())


def test_export(folder):
    tfjs, onnx, keras, target = several(
        folder,
        f"export {RUN} --to tfjs",
        f"export {RUN} --to onnx",
        f"export {RUN} --to keras --checkpoint last",
        f"export {RUN} --to tfjs --network q_target --quantize uint8 --out small",
        backend="jax",
    )
    assert (tfjs.status, tfjs.err) == (0, "")
    assert re.sub(r"step \d+|[\d,]+ bytes", "N", tfjs.out) == (
        "network    q of dqn on CartPole-v1, 58 parameters\n"
        "           from the best checkpoint (N)\n"
        "input      observation [batch, 4]\n"
        "output     [batch, 2]; the action: the index of the largest\n"
        f"written    {RUN}/q.tfjs (N)\n"
        "to use it  const model = await tf.loadLayersModel('q.tfjs/model.json')\n"
    )
    about = json.loads((folder / RUN / "q.tfjs" / "model.json").read_text())["userDefinedMetadata"]["whygrad"]
    assert 0 < about.pop("step") <= 96
    assert about == {
        "run": "dqn-CartPole-v1-0-1",
        "agent": "dqn",
        "network": "q",
        "checkpoint": "best",
        "environment": "CartPole-v1",
        "environment_options": {},
        "observation": {
            "shape": [4],
            "dtype": "float32",
            "layout": "channels last",
            "encoding": "as the environment gives it",
            "scaled_inside": False,
        },
        "action": {"space": "Discrete(2)", "low": [], "high": [], "from_output": "the index of the largest"},
    }
    assert f"written    {RUN}/q.onnx" in onnx.out
    assert "onnxruntime.InferenceSession('q.onnx')" in onnx.out
    assert str(folder).encode() not in (folder / RUN / "q.onnx").read_bytes()
    assert "from the last checkpoint (step 96)" in keras.out
    assert "model = keras.saving.load_model('q.keras')" in keras.out
    assert target.out.startswith("network    q_target of dqn")
    assert names(folder / "small") == ["group1-shard1of1.bin", "model.json"]
    assert (folder / "small" / "group1-shard1of1.bin").stat().st_size == 58


def test_an_agent_that_scales_its_observations(folder):
    import numpy as np
    import onnxruntime

    [result, value] = several(folder, f"export {SCALED} --to onnx", f"export {SCALED} --to tfjs --network value")
    assert (result.status, result.err) == (0, "")
    assert "output     [batch, 1]; the action: cut to -1 … 1, then scale -1 … 1 to low … high\n" in result.out
    assert "; the action:" not in value.out
    session = onnxruntime.InferenceSession(folder / SCALED / "policy.onnx", providers=["CPUExecutionProvider"])
    facts = session.get_modelmeta().custom_metadata_map
    assert json.loads(facts["whygrad.observation"])["scaled_inside"] is True
    assert json.loads(facts["whygrad.action"])["high"] == [2.0]
    # The same as the agent itself makes of raw observations.
    rows = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32) * 4
    [exported] = session.run(None, {"observation": rows})
    script = (
        "import json, numpy as np\n"
        "from whygrad.rl.restoring import restore\n"
        f"with restore({SCALED!r}, count=3) as agent:\n"
        f"    print(json.dumps(agent.policy(np.array({rows.tolist()}, np.float32)).tolist()))\n"
    )
    write(folder, restored=script)
    done = agents().python(folder, "restored.py")
    np.testing.assert_allclose(exported, json.loads(done.out.splitlines()[-1]), atol=1e-5)


def test_import(folder):
    several(folder, f"export {RUN} --to tfjs --out web", f"export {RUN} --to keras --out plain.keras")
    beside, named, by_file, checked = several(
        folder,
        "import web",
        "import web --out named.keras",
        "import web/model.json --out again.keras",
        "import plain.keras",
        backend="tensorflow",
    )
    assert (beside.status, beside.err) == (0, "")
    assert beside.out == (
        "read       web/model.json, written by whygrad 0.1.0\n"
        "network    Functional, 4 layers, 58 parameters\n"
        "           observation  InputLayer          [batch, 4]                      0\n"
        "           dense        Dense               [batch, 8]                     40\n"
        "           activation   Activation          [batch, 8]                      0\n"
        "           dense_1      Dense               [batch, 2]                     18\n"
        "written    web/model.keras\n"
        "to use it  model = keras.saving.load_model('web/model.keras')\n"
        '           whygrad.rl.train(…, networks={"q": model})\n'
    )
    assert (folder / "web" / "model.keras").is_file()
    assert named.out.splitlines()[-3] == "written    named.keras"
    assert by_file.status == 0
    assert "written    " not in checked.out
    assert checked.out.startswith("read       plain.keras, written by Keras\nnetwork    Functional, 4 layers, 58")


def test_refusals_write_nothing(folder):
    (folder / "bad").mkdir(exist_ok=True)
    (folder / "bad" / "model.json").write_text('{"format": "graph-model"}')
    (folder / "cut.keras").write_bytes(b"PK")
    (folder / "full").mkdir(exist_ok=True)
    (folder / "full" / "thesis.txt").write_text("mine")
    before = names(folder)
    results = several(
        folder,
        "import none.json",
        "import bad --out new.keras",
        "import cut.keras --out new.keras",
        "import bad --out new.h5",
        f"export {RUN} --to tfjs --network actor",
        f"export {SCALED} --to tfjs --network deviation",
        f"export {RUN} --to tfjs --out full",
        f"export {RUN} --to tfjs --out nowhere/model",
        f"export {RUN} --to onnx --out nowhere/model.onnx",
        f"export {RUN} --to onnx --out model.pb",
        f"export {RUN} --to onnx --quantize uint8",
        "export none --to onnx",
    )
    assert [result.status for result in results] == [2] * len(results)
    for result, sentence in zip(
        results,
        [
            "there is no file 'none.json'. Give the model.json that TF.js saved, or the folder it lies in.",
            "'bad/model.json' is a graph model, in which layers are no longer told apart.",
            "'cut.keras' is not a .keras file, or it is cut off: such a file is a ZIP archive.",
            "--out ends in .keras, got 'new.h5'.",
            "the agent has no network 'actor'; it has q, q_target.",
            "the network is a Numbers; only Sequential and functional Keras models say of which layers they consist.",
            "the folder 'full' has other files in it, such as 'thesis.txt'. Give the name of a new folder.",
            "/nowhere' does not exist. Make it first.",
            "/nowhere' does not exist, so the network cannot be written there. Make it first.",
            "--out ends in .onnx with --to onnx, got 'model.pb'.",
            "--quantize goes with --to tfjs; onnx is written in full.",
            "There is no run at 'none': no such folder.",
        ],
        strict=True,
    ):
        assert sentence in result.err
        assert result.err.startswith("whygrad: ")
        assert result.err.count("\n") == 1
    assert names(folder) == before
