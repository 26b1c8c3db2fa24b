"""A Lightning module with two branches, healthy or with a detached branch.

Arguments: `lightning` or `pytorch_lightning`, then one training after another, each a list of faults
(and `watch`, `two`).
"""

import json
import logging
import sys
import warnings

import torch
from torch import nn
from watched_facts import watched, where

if sys.argv[1] == "lightning":
    import lightning.pytorch as pl
else:
    import pytorch_lightning as pl

from whygrad.interop.lightning_callback import WhyGrad

warnings.simplefilter("ignore")
for name in ("lightning.pytorch", "pytorch_lightning"):
    logging.getLogger(name).setLevel(logging.ERROR)


class Two(pl.LightningModule):
    def __init__(self, faults):
        super().__init__()
        self.faults = faults
        self.automatic_optimization = not {"manual", "two"} & set(faults)
        self.left, self.right, self.head = nn.Linear(4, 8), nn.Linear(4, 8), nn.Linear(16, 1)

    def training_step(self, batch, index):
        x, y = batch
        if "two" in self.faults:
            return self.two_steps(x, y)
        right = self.right(x)
        if "cut" in self.faults:
            right = right.detach()
        out = self.head(torch.cat([torch.relu(self.left(x)), torch.relu(right)], 1))
        loss = nn.functional.mse_loss(out, y)
        if "fail" in self.faults:
            loss = loss.detach()
        if self.automatic_optimization:
            return loss
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(loss)
        optimizer.step()
        return None

    def two_steps(self, x, y):
        for optimizer, net in zip(self.optimizers(), (self.left, self.right), strict=True):
            optimizer.zero_grad()
            self.manual_backward(net(x).square().mean())
            optimizer.step()

    def validation_step(self, batch, index):
        out = self.head(torch.cat([self.left(batch[0]), self.right(batch[0])], 1))
        self.log("val_loss", nn.functional.mse_loss(out, batch[1]))

    def configure_optimizers(self):
        if "two" in self.faults:
            return [torch.optim.Adam(net.parameters(), 1e-3) for net in (self.left, self.right)]
        return torch.optim.Adam(self.parameters(), 1e-3)


def fit(faults):
    torch.manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
    loader = torch.utils.data.DataLoader(data, 8)
    told = []
    callback = WhyGrad(on_finding="raise" if "raise" in faults else told.append, watch=where(faults))
    trainer = pl.Trainer(
        max_epochs=2, callbacks=[] if "plain" in faults else [callback], logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, accelerator="cpu",
    )  # fmt: skip
    module, error = Two(faults), ""
    try:
        trainer.fit(module, loader, loader)
    except Exception as trouble:
        error = f"{type(trouble).__name__}: {trouble}"
    report = callback.report
    return {
        "weights": sum(p.double().sum().item() for p in module.parameters()),
        "steps": trainer.global_step,
        "error": error[:300],
        "told": len(told),
        "codes": [f.code for f in report.findings] if report else None,
        "lines": [f.where.line for f in report.findings] if report else None,
        "variables": [list(f.variables) for f in report.findings] if report else None,
        "notes": list(report.notes) if report else None,
        "updates": report.updates if report else 0,
        "watched": watched(callback),
    }


print(json.dumps([fit(faults.split("+")) for faults in sys.argv[2:]]))
