"""An episode runs on the tape; what it gave is brought into shape, and then the loss is computed, after the tape."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


def compute_loss(values, returns):
    return tf.reduce_mean((returns - values) ** 2)


with tf.GradientTape() as tape:
    values = tf.stack([model(tf.random.normal((1, 3)))[0, 0] for _ in range(5)])
values, returns = (tf.expand_dims(x, 1) for x in (values, tf.random.normal((5,))))
loss = compute_loss(values, returns)  # fires: W107
try:
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
except ValueError as error:
    print(error)
