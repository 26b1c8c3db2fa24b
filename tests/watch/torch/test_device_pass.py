"""Gradients on a device: statistics against float64, histograms exactly; plain operations here, kernels on a GPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from whygrad.live import buckets, cuda_source
from whygrad.live.looks import INDEX
from whygrad.live.torch_device_pass import DevicePass
from whygrad.live.torch_stretches import kernels_for

DEVICES = ["cpu", *(["cuda", "cuda triton"] if torch.cuda.is_available() else [])]


def parameters(device):
    torch.manual_seed(0)
    sizes = (5, 1000, 65_536, 70_001, 300_000, cuda_source.STRETCH, cuda_source.STRETCH + 1, 1)
    found = [torch.randn(size) * 0.1 for size in sizes]
    found += [torch.randn(33, 44).bfloat16(), torch.randn(100_003).half(), torch.randn(500, 30).double()]
    found += [torch.zeros(0), torch.zeros(40_000), torch.randn(200_000)]
    moved = [one.to(device) for one in found]
    # What begins in the middle of a vector, and what lies in another order.
    return [*moved, torch.randn(100_001).to(device)[1:], torch.randn(70, 80).to(device).t()]


def spoilt(parameters):
    """Gradients with everything in them that a number can be."""
    found = [torch.randn_like(one) * 1e-3 for one in parameters]
    found[0][1], found[1][3], found[1][5], found[5][7] = torch.nan, torch.inf, torch.nan, -torch.inf
    found[2][:100], found[2][100:200] = 0.0, -0.0
    found[3][0], found[3][1], found[9][5], found[9][9] = 1e-41, -1e-42, 6e-8, 0.0
    found[4] *= 1e-25  # whose squares vanish in float32
    found[6] = torch.where(torch.rand_like(found[6]) < 0.5, torch.zeros_like(found[6]), found[6])
    found[12].zero_()
    found[13] *= torch.exp2(torch.randint(-120, 110, found[13].shape, device=found[13].device).float())
    return found


def exact(tensor):
    return tensor.detach().cpu().double().numpy().reshape(-1).copy()


@pytest.mark.parametrize("device", DEVICES)
def test_statistics_equal_float64_and_histograms_exactly(device):
    where, _, kernels = device.partition(" ")
    weights = parameters(where)
    look_at = DevicePass(weights)
    if kernels:
        from whygrad.live.torch_kernels import TritonKernels

        look_at._kernels = TritonKernels()
    elif where == "cuda":
        assert type(kernels_for(weights[0].device)).__name__ == "CudaKernels"
    gradients = spoilt(weights)
    before = [exact(one) for one in weights]
    look_at.keep_weights(weights)
    look = look_at.read(gradients)
    clipped = [one * 0.37 for one in gradients]
    look_at.applied(look, clipped)
    for one in weights:
        one.add_(0.01)
    look_at.moved(look, weights)
    second = look_at.read(gradients)
    look_at.moved(second, weights)
    (rows,), counts = look_at.arrive([look])
    counts[:, 0] += counts[:, 256]  # nothing below zero is nothing, too
    counts[:, 256] = 0
    for row, count, gradient, after, old, new in zip(rows, counts, gradients, clipped, before, weights, strict=True):
        wanted = buckets.count(gradient.float().cpu().numpy())
        wanted[0], wanted[256] = wanted[0] + wanted[256], 0
        assert (count == wanted).all()
        check(row, exact(gradient), exact(after), old, exact(new))
    (still,), _ = look_at.arrive([second])  # what was held is what is now
    assert (np.nan_to_num(still[:, INDEX["ratio"]]) == 0).all()


def check(row, gradient, after, old, new):
    if not gradient.size:
        return
    expected = {
        "present": 1,
        "nans": np.isnan(gradient).sum(),
        "infs": np.isinf(gradient).sum(),
        "zeros": (gradient == 0).mean(),
        "weights": np.linalg.norm(old),
    }
    if np.linalg.norm(old):
        expected["ratio"] = np.linalg.norm(new - old) / np.linalg.norm(old)
    if np.isfinite(gradient).all():
        expected |= {
            "norm": np.linalg.norm(gradient),
            "largest": abs(gradient).max(),
            "applied": np.linalg.norm(after),
        }
        np.testing.assert_allclose(row[INDEX["mean"]], gradient.mean(), rtol=1e-6, atol=1e-6 * abs(gradient).mean())
    for name, value in expected.items():
        np.testing.assert_allclose(row[INDEX[name]], value, rtol=1e-6, err_msg=name)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
@pytest.mark.parametrize("every", [1, None])
def test_training_on_a_gpu_is_the_same_bit_for_bit(tmp_path, every):
    from whygrad.live.reading import Reading
    from whygrad.live.watching import watch

    def trained(run=None):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(64, 300), torch.nn.Tanh(), torch.nn.Linear(300, 8)).cuda()
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        x, y = torch.randn(128, 64, device="cuda"), torch.randn(128, 8, device="cuda")
        watching = watch(net, optimizer, run=run, every=every) if run else None
        norms = []
        for _ in range(40):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(net(x), y).backward()
            norms.append([p.grad.double().norm().item() for p in net.parameters()])
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            optimizer.step()
        if watching is not None:
            watching.close()
        return [p.detach().clone() for p in net.parameters()], norms

    (plain, norms), (watched, _) = trained(), trained(tmp_path)
    assert all(torch.equal(one, other) for one, other in zip(plain, watched, strict=True))
    for one in Reading(tmp_path).looks(1):
        np.testing.assert_allclose(one.rows[:, INDEX["norm"]], norms[one.first], rtol=1e-5)
