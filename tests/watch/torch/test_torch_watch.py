"""Watching PyTorch: numbers against float64, events at the right update, and a training that is the same as without."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from torch import nn

from whygrad.live import detecting
from whygrad.live.budget import Budget
from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.live.watching import watch

X, Y = torch.randn(32, 4, generator=torch.Generator().manual_seed(1)), torch.ones(32, 1)


def make(kind=torch.optim.SGD, lr=0.01, **options):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    return net, kind(net.parameters(), lr=lr, **options)


def train(net, optimizer, updates, clip=None, spoil=None, loss=None):
    for update in range(updates):
        optimizer.zero_grad()
        (loss or nn.functional.mse_loss)(net(X), Y).backward()
        if spoil is not None:
            spoil(update, net)
        if clip is not None:
            nn.utils.clip_grad_norm_(net.parameters(), clip)
        optimizer.step()


def test_numbers_equal_a_reference_in_float64(tmp_path):
    net, optimizer = make()
    expected = []

    def remember(optimizer, args, kwargs):
        expected.append(
            [(p.grad.double().numpy().copy(), p.detach().double().numpy().copy()) for p in net.parameters()]
        )

    optimizer.register_step_pre_hook(remember)
    after = []
    optimizer.register_step_post_hook(
        lambda *_: after.append([p.detach().double().numpy().copy() for p in net.parameters()])
    )
    with watch(net, optimizer, run=tmp_path, every=1):
        train(net, optimizer, 12)
    reading = Reading(tmp_path)
    (group,) = reading.groups()
    assert [v.name for v in group.variables] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert (group.updates, group.looks) == (12, 12)
    looks = reading.looks(group.id)
    assert [one.first for one in looks] == list(range(12))
    for one, before, now in zip(looks, expected, after, strict=True):
        for row, (gradient, weights), moved in zip(one.rows, before, now, strict=True):
            norm = np.linalg.norm(gradient)
            length = np.linalg.norm(weights)
            for name, value in {
                "present": 1,
                "norm": norm,
                "applied": norm,
                "mean": gradient.mean(),
                "largest": abs(gradient).max(),
                "zeros": (gradient == 0).mean(),
                "nans": 0,
                "infs": 0,
                "weights": length,
                "ratio": np.linalg.norm(moved - weights) / length,
            }.items():
                np.testing.assert_allclose(row[INDEX[name]], value, rtol=2e-5, atol=1e-9, err_msg=name)
    counts = sum(one.counts for one in reading.spreads(group.id))
    assert counts.sum(axis=1).tolist() == [12 * p.numel() for p in net.parameters()]


@pytest.mark.parametrize("every", [1, None])
def test_training_is_the_same_bit_for_bit(tmp_path, every):
    plain = make(torch.optim.Adam)
    train(*plain, 40, clip=0.1)
    watched = make(torch.optim.Adam)
    with watch(*watched, run=tmp_path, every=every):
        train(*watched, 40, clip=0.1)
    for one, other in zip(plain[0].parameters(), watched[0].parameters(), strict=True):
        assert torch.equal(one, other)


def test_nothing_is_left_behind(tmp_path):
    net, optimizer = make()
    backward, unscale = torch.autograd.backward, torch.amp.GradScaler._unscale_grads_
    with watch(net, optimizer, run=tmp_path):
        train(net, optimizer, 3)
        assert torch.autograd.backward is not backward
    assert torch.autograd.backward is backward
    assert torch.amp.GradScaler._unscale_grads_ is unscale
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks
    assert all(not p._post_accumulate_grad_hooks for p in net.parameters() if p._post_accumulate_grad_hooks is not None)


def test_norms_before_and_after_clipping(tmp_path):
    net, optimizer = make()
    with watch(net, optimizer, run=tmp_path, every=1):
        train(net, optimizer, 5, clip=1e-2)
    for one in Reading(tmp_path).looks(1):
        assert np.linalg.norm(one.rows[:, INDEX["applied"]]) == pytest.approx(1e-2, rel=1e-3)
        assert np.linalg.norm(one.rows[:, INDEX["norm"]]) > 0.1


def test_the_loss_is_there_without_being_asked_for(tmp_path):
    net, optimizer = make()
    losses = []

    def loss(found, wanted):
        value = nn.functional.mse_loss(found, wanted)
        losses.append(value.item())
        return value

    with watch(net, optimizer, run=tmp_path, every=1) as watching:
        train(net, optimizer, 5, loss=loss)
        watching.log(accuracy=0.5)
    scalars = Reading(tmp_path).scalars()
    assert [one.mean for one in scalars["loss/SGD"]] == pytest.approx(losses)
    assert [one.mean for one in scalars["accuracy"]] == [0.5]


def test_the_loss_of_another_network_is_not_taken_for_ones_own(tmp_path):
    critic, optimizer = make()
    losses = []
    with watch(critic, optimizer, run=tmp_path, every=1):
        for _ in range(4):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(critic(X), Y)
            losses.append(loss.item())
            loss.backward()
            optimizer.step()
            (-1000 * critic(X)).mean().backward()  # an actor's
    assert [one.mean for one in Reading(tmp_path).scalars()["loss/SGD"]] == pytest.approx(losses)


def events(path):
    return [(event.at, event.code, event.variable) for event in Reading(path).events()]


def test_an_injected_nan_is_told_at_its_update(tmp_path):
    net, optimizer = make()

    def spoil(update, net):
        if update == 30:
            net[0].bias.grad[2] = torch.nan

    with watch(net, optimizer, run=tmp_path):  # also where not every update is looked at
        train(net, optimizer, 60, spoil=spoil)
    assert events(tmp_path)[0] == (30, "W402", "0.bias")


def test_a_layer_that_dies_is_told(tmp_path):
    net, optimizer = make()

    def spoil(update, net):
        if update == 20:
            with torch.no_grad():
                net[0].bias.fill_(-100.0)

    with watch(net, optimizer, run=tmp_path, every=1):
        train(net, optimizer, 50, spoil=spoil)
    found = events(tmp_path)
    assert (21, "W401", "0.weight") in found
    assert {code for _, code, _ in found} == {"W401"}


def test_a_gradient_that_gets_lost_is_told(tmp_path):
    net, optimizer = make()

    def spoil(update, net):
        if update >= 25:
            net[2].bias.grad = None

    with watch(net, optimizer, run=tmp_path, every=10):
        train(net, optimizer, 400, spoil=spoil)
    assert events(tmp_path) == [(25, "W105", "2.bias")]


def test_a_gradient_that_gets_lost_is_told_where_every_update_before_was_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(Budget, "due", lambda self, update: update != 25)
    net, optimizer = make()

    def spoil(update, net):
        if update >= 25:
            net[2].bias.grad = None

    with watch(net, optimizer, run=tmp_path):
        train(net, optimizer, 40, spoil=spoil)
    assert events(tmp_path) == [(25, "W105", "2.bias")]


def test_a_frozen_parameter_is_told(tmp_path):
    net, optimizer = make()
    net[0].bias.requires_grad_(False)
    with watch(net, optimizer, run=tmp_path):
        train(net, optimizer, 3)
    assert events(tmp_path) == [(0, "W109", "0.bias")]


def test_a_clip_that_takes_everything_is_told(tmp_path):
    net, optimizer = make()
    with watch(net, optimizer, run=tmp_path, every=1):
        train(net, optimizer, 30, clip=1e-6)
    assert [(at, code) for at, code, _ in events(tmp_path)] == [(0, "W405")]


def test_a_target_that_never_moves_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(detecting, "PATIENCE", 50)
    net, optimizer = make()
    target = nn.Linear(4, 1)
    with watch(net, optimizer, run=tmp_path, every=10, targets={"target": target}) as watching:
        for _ in range(6):
            train(net, optimizer, 20)
            watching.flush()
    assert [(code, name) for _, code, name in events(tmp_path)] == [("W503", "target")]


def test_events_are_handed_on_at_once(tmp_path):
    net, optimizer = make()
    net[0].bias.requires_grad_(False)
    heard = []
    with watch(net, optimizer, run=tmp_path, on_event=heard.append) as watching:
        train(net, optimizer, 2)
        watching.flush()
        assert [event.code for event in heard] == ["W109"]
        assert watching.events == heard


def test_accumulated_gradients_are_read_as_the_step_gets_them(tmp_path):
    net, optimizer = make()
    with watch(net, optimizer, run=tmp_path, every=1):
        for _ in range(3):
            optimizer.zero_grad()
            for part in range(4):
                nn.functional.mse_loss(net(X[part::4]), Y[part::4]).backward()
            last = [p.grad.double().norm().item() for p in net.parameters()]
            optimizer.step()
    looks = Reading(tmp_path).looks(1)
    assert len(looks) == 3
    assert looks[-1].rows[:, INDEX["norm"]] == pytest.approx(last, rel=1e-5)


def test_a_closure_is_followed(tmp_path):
    net, optimizer = make(torch.optim.LBFGS, max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(X), Y)
        loss.backward()
        return loss

    with watch(net, optimizer, run=tmp_path, every=1):
        for _ in range(4):
            optimizer.step(closure)
    looks = Reading(tmp_path).looks(1)
    assert len(looks) == 4
    assert all((one.rows[:, INDEX["norm"]] > 0).all() for one in looks)


def test_scaled_gradients_are_told_unscaled(tmp_path):
    net, optimizer = make()
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    norms = []
    with watch(net, optimizer, run=tmp_path, every=1):
        for _ in range(12):
            optimizer.zero_grad()
            scaler.scale(nn.functional.mse_loss(net(X), Y)).backward()
            scaler.unscale_(optimizer)
            norms.append([p.grad.double().norm().item() for p in net.parameters()])
            scaler.step(optimizer)
            scaler.update()
    looks = Reading(tmp_path).looks(1)
    for one, expected in zip(looks, norms, strict=True):
        assert one.rows[:, INDEX["norm"]] == pytest.approx(expected, rel=1e-5)
        assert one.rows[:, INDEX["applied"]] == pytest.approx(expected, rel=1e-5)
    assert events(tmp_path) == []


def test_sparse_and_half_precision_gradients(tmp_path):
    table, head = nn.Embedding(50, 4, sparse=True), nn.Linear(4, 1).bfloat16()
    optimizer = torch.optim.SGD([*table.parameters(), *head.parameters()], lr=0.1)
    with watch({"table": table, "head": head}, optimizer, run=tmp_path, every=1):
        for _ in range(3):
            optimizer.zero_grad()
            head(table(torch.tensor([1, 2, 2])).bfloat16()).sum().backward()
            dense = table.weight.grad.to_dense().double()
            optimizer.step()
    reading = Reading(tmp_path)
    assert [v.name for v in reading.groups()[0].variables] == ["table.weight", "head.weight", "head.bias"]
    row = reading.looks(1)[-1].rows[0]
    assert row[INDEX["zeros"]] == pytest.approx((dense == 0).double().mean().item(), rel=1e-6)
    assert row[INDEX["norm"]] == pytest.approx(dense.norm().item(), rel=1e-6)
    assert sum(one.counts for one in reading.spreads(1))[0].sum() == 3 * 200


def test_two_optimizers_share_a_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    actor, first = make()
    critic, second = make(torch.optim.Adam)
    one = watch(actor, first, name="actor")
    other = watch(critic, second, name="critic")
    assert one.path == other.path
    train(critic, second, 3)
    other.close()
    train(actor, first, 3)  # the run is still open for it
    one.close()
    one.close()
    assert [group.updates for group in Reading(one.path).groups()] == [3, 3]
    assert [group.name for group in Reading(one.path).groups()] == ["actor", "critic"]
    assert list((tmp_path / "runs").iterdir()) == [tmp_path / one.path]


def test_dead_and_saturated_units_on_request(tmp_path):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 1))
    with torch.no_grad():
        net[0].bias[:6] = -100.0
        net[2].bias[:] = 50.0
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    with watch({"net": net}, optimizer, run=tmp_path, every=1, activations=True):
        train(net, optimizer, 3)
        net(X).detach()
    scalars = Reading(tmp_path).scalars()
    assert [one.mean for one in scalars["dead units/net.1"]] == [0.75] * 3
    assert [one.mean for one in scalars["saturated units/net.3"]] == [1.0] * 3
    assert not net[1]._forward_hooks


def test_what_is_written_for_tensorboard_can_be_read_there(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    net, optimizer = make()
    with watch(net, optimizer, run=tmp_path, every=1):
        train(net, optimizer, 5, clip=0.1)
    board = accumulator.EventAccumulator(str(tmp_path / "tensorboard"))
    board.Reload()
    tags = board.Tags()
    assert "gradient_norm/0.weight" in tags["scalars"]
    assert "clipped_gradient_norm/0.weight" in tags["scalars"]
    assert "update_by_weight/2.bias" in tags["scalars"]
    (histogram,) = board.Histograms("gradient/0.weight")
    assert histogram.histogram_value.num == 5 * 32
    last = Reading(tmp_path).looks(1)[-1].rows[0]
    assert board.Scalars("gradient_norm/0.weight")[-1].value == pytest.approx(last[INDEX["norm"]])


def test_a_program_that_just_ends_loses_nothing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import torch
        from whygrad import watch
        net = torch.nn.Linear(3, 1)
        optimizer = torch.optim.Adam(net.parameters())
        watch(net, optimizer, every=1)
        for _ in range(20):
            optimizer.zero_grad()
            net(torch.randn(5, 3)).sum().backward()
            optimizer.step()
        """)
    )
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    reading = Reading(tmp_path / "runs" / "script-1")
    assert (reading.groups()[0].updates, sum(one.count for one in reading.looks(1))) == (20, 20)


def test_what_is_no_optimizer_is_refused(tmp_path):
    net, _ = make()
    with pytest.raises(TypeError, match="Sequential"):
        watch(net, net, run=tmp_path)
