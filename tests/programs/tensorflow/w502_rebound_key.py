"""Two models in a dictionary, and a sync that binds the second key to the first model."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])


nets = {"online": build(), "slow": build()}
optimizer = keras.optimizers.Adam(1e-3)


def sync():
    nets["slow"] = nets["online"]  # fires: W502


sync()
for update in range(6):
    states = tf.random.normal((32, 3))
    goal = states[:, 0] + 0.9 * tf.reduce_max(nets["slow"](states), axis=1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goal - nets["online"](states)[:, 0]) ** 2)
    variables = nets["online"].trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
