"""Which devices each framework sees. Each is asked in a process of its own: one that fails hides no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys

_ASK = {
    "torch": """
import torch
found = ["cpu"] + [f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(torch.cuda.device_count())]
found += ["mps"] if torch.backends.mps.is_available() else []
""",
    "tensorflow": """
import tensorflow as tf
found = []
for device in tf.config.list_physical_devices():
    about = tf.config.experimental.get_device_details(device).get("device_name")
    found.append(device.name.removeprefix("/physical_device:").lower() + (f" {about}" if about else ""))
""",
    "jax": """
import jax
found = [f"{device.platform}:{device.id}" + f" {device.device_kind}" * (device.platform != "cpu")
         for device in jax.devices()]
""",
}
_SECONDS = 120
"""A framework that takes longer to say what it sees has a fault of its own."""


def devices(framework: str) -> list[str] | str:
    """What the framework computes on, or a sentence that says why it could not be asked."""
    code = f"import json{_ASK[framework]}print(json.dumps(found))"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"gave no answer within {_SECONDS} seconds"
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return f"could not be imported: {lines[-1] if lines else f'exit status {done.returncode}'}"
    found: list[str] = json.loads(done.stdout.strip().splitlines()[-1])
    return found
