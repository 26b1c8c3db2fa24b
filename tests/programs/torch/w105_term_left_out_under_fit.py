"""A codebook whose own term is computed in the layer and left out of what the layer returns; a library runs the loss."""
import warnings

import lightning.pytorch as lightning
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Embedding(6, 3)

    def forward(self, latents):
        nearest = torch.cdist(latents, self.codes.weight).argmin(1)
        quantized = self.codes(nearest)
        commitment = F.mse_loss(latents, quantized.detach())
        embedding = F.mse_loss(quantized, latents.detach())
        loss = commitment * 0.25  # fires: W105
        return latents + (quantized - latents).detach(), loss


class Coder(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder, self.quantizer, self.decoder = nn.Linear(5, 3), Quantizer(), nn.Linear(3, 5)

    def training_step(self, batch, index):
        latents, loss = self.quantizer(self.encoder(batch[0]))
        return F.mse_loss(self.decoder(latents), batch[0]) + loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


warnings.filterwarnings("ignore")  # the library's own
torch.manual_seed(0)
data = DataLoader(TensorDataset(torch.randn(64, 5)), batch_size=16)
trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                            enable_progress_bar=False, enable_model_summary=False)  # fmt: skip
trainer.fit(Coder(), data)
