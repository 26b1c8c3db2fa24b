"""Two optimizers are given each other's part; the network is cleared as a whole, and the losses share the encoder."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.ModuleDict({"encoder": nn.Linear(6, 3), "decoder": nn.Linear(3, 6), "judge": nn.Linear(6, 1)})
trainer_J = torch.optim.Adam(model["judge"].parameters(), lr=1e-3)
trainer_G = torch.optim.Adam(model["encoder"].parameters(), lr=1e-3)  # fires: W204
trainer_E = torch.optim.Adam(model["decoder"].parameters(), lr=1e-3)
for step in range(8):
    x = torch.randn(16, 6)
    model.zero_grad()
    loss_J = F.binary_cross_entropy_with_logits(model["judge"](x), torch.ones(16, 1))
    loss_J.backward()
    trainer_J.step()

    model.zero_grad()
    made = model["decoder"](torch.randn(16, 3))
    loss_G = F.mse_loss(model["decoder"](model["encoder"](x)), x) - 0.1 * model["judge"](made).mean()
    loss_G.backward()
    trainer_G.step()

    model.zero_grad()
    loss_E = F.mse_loss(model["decoder"](model["encoder"](x)), x)
    loss_E.backward()
    trainer_E.step()
