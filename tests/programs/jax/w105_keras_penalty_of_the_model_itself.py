"""Keras on JAX, without state: the penalty reads the model's own variable, not the array that is differentiated."""
import os

os.environ["KERAS_BACKEND"] = "jax"
import jax
import keras
import numpy as np
from keras import ops

x = np.random.RandomState(0).randn(32, 4).astype("float32")


class Gated(keras.Model):
    def __init__(self):
        super().__init__()
        self.gate = self.add_weight(shape=(4,), initializer="ones", name="gate")
        self.out = keras.layers.Dense(1)

    def call(self, x):
        return self.out(x * self.gate)

    def penalty(self):
        return ops.sum(ops.abs(self.gate))


model = Gated()
model(x)
optimizer = keras.optimizers.SGD(1e-2)
optimizer.build(model.trainable_variables)


def loss_fn(trained, fixed, x):
    predicted, fixed = model.stateless_call(trained, fixed, x)
    return ops.mean((predicted - x[:, :1]) ** 2) + 0.1 * model.penalty(), fixed  # fires: W105


@jax.jit
def train_step(trained, fixed, kept, x):
    (loss, fixed), gradients = jax.value_and_grad(loss_fn, has_aux=True)(trained, fixed, x)
    trained, kept = optimizer.stateless_apply(kept, gradients, trained)
    return trained, fixed, kept


parts = model.trainable_variables, model.non_trainable_variables, optimizer.variables
state = [[v.value for v in part] for part in parts]
for _ in range(5):
    state = train_step(*state, x)
