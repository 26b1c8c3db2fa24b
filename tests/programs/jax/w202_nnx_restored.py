"""The model is restored from arrays of NumPy behind its optimizer, which goes on with the first one."""

import jax
import numpy as np
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, seed: int):
        rngs = nnx.Rngs(seed)
        self.first, self.last = nnx.Linear(3, 8, rngs=rngs), nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.tanh(self.first(x)))


def restore(kept):
    graphdef, state = nnx.split(nnx.eval_shape(lambda: Net(0)))
    nnx.replace_by_pure_dict(state, kept)
    return nnx.merge(graphdef, state)


@nnx.jit
def train_step(net, optimizer, x):
    loss, grads = nnx.value_and_grad(lambda n: ((n(x)[:, 0] - x.sum(-1)) ** 2).mean())(net)
    optimizer.update(grads)
    return loss


def main():
    kept = jax.tree.map(np.asarray, nnx.to_pure_dict(nnx.state(Net(5))))
    net = Net(0)
    optimizer = nnx.ModelAndOptimizer(net, optax.adam(0.01))
    net = restore(kept)  # fires: W202
    for i in range(5):
        train_step(net, optimizer, jax.random.normal(jax.random.key(i), (16, 3)))


main()
