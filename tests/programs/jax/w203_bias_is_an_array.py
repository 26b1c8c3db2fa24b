"""The bias of a layer is a plain array; its weight is a parameter and learns."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class MyLinear(nnx.Module):
    def __init__(self, din, dout, *, rngs):
        self.w = nnx.Param(jax.random.normal(rngs.params(), (din, dout)) * 0.1)
        self.b = jnp.zeros((dout,))  # fires: W203

    def __call__(self, x):
        return x @ self.w + self.b


class Net(nnx.Module):
    def __init__(self, rngs):
        self.a = MyLinear(4, 16, rngs=rngs)
        self.c = MyLinear(16, 1, rngs=rngs)

    def __call__(self, x):
        return self.c(nnx.relu(self.a(x)))


net = Net(nnx.Rngs(0))
opt = nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def step(net, opt, x, y):
    loss, grads = nnx.value_and_grad(lambda m: ((m(x) - y) ** 2).mean())(net)
    opt.update(net, grads)
    return loss


for i in range(12):
    x = jax.random.normal(jax.random.key(i), (32, 4))
    loss = step(net, opt, x, x.sum(-1, keepdims=True))
