"""Flax NNX: the table of positions is drawn like a weight and kept as a plain array."""
from flax import nnx
import jax
import jax.numpy as jnp
import optax


class Encoder(nnx.Module):
    def __init__(self, length, width, rngs):
        draw = nnx.initializers.truncated_normal(0.02)
        self.embed = nnx.Embed(10, width, rngs=rngs)
        self.positions = draw(rngs.params(), (1, length, width), jnp.float32)  # fires: W203
        self.mix = nnx.Linear(width, width, rngs=rngs)
        self.head = nnx.Linear(width, 10, rngs=rngs)

    def __call__(self, tokens):
        x = self.embed(tokens) + self.positions
        return self.head(nnx.gelu(self.mix(x)))


def loss_fn(model, tokens):
    logits = model(tokens)
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.flip(tokens, axis=1)).mean()


@nnx.jit
def step(model, optimizer, tokens):
    loss, grads = nnx.value_and_grad(loss_fn)(model, tokens)
    optimizer.update(model, grads)
    return loss


model = Encoder(6, 16, nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
for number in range(6):
    step(model, optimizer, jax.random.randint(jax.random.key(number), (8, 6), 0, 10))
