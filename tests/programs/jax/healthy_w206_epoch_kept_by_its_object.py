"""What an epoch gives back is dropped by its caller: the object that runs it has put everything away itself."""

import jax
import jax.numpy as jnp
import optax

x = jax.random.normal(jax.random.key(0), (12, 16, 3))
tx = optax.adam(0.01)


def mse(p, batch):
    return jnp.mean((jnp.tanh(batch @ p["w"]) @ p["v"] - batch.sum(-1)) ** 2)


@jax.jit
def update(params, opt_state, batch):
    loss, grads = jax.value_and_grad(mse)(params, batch)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


class Trainer:
    def __init__(self):
        self.params = {"w": jnp.zeros((3, 8)) + 0.1, "v": jax.random.normal(jax.random.key(1), (8,))}
        self.opt_state = tx.init(self.params)

    def epoch(self, params, opt_state, batches):
        for batch in batches:
            params, opt_state, loss = update(params, opt_state, batch)
        self.params, self.opt_state = params, opt_state
        return params, opt_state, loss


trainer = Trainer()
for epoch in range(3):
    _, _, loss = trainer.epoch(trainer.params, trainer.opt_state, x)
    print(epoch, float(loss))
