"""A method scales the gradients down to a norm; what it returns is kept under a name and not applied."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.01)


def clipped_to(gradients, limit):
    norm = tf.linalg.global_norm(gradients)
    return [g * tf.minimum(1.0, limit / (norm + 1e-6)) for g in gradients], norm


@tf.function
def update(states):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(states) - 10.0 * states[:, :1]) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    clipped, norm = clipped_to(gradients, 0.5)  # fires: W303
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    return norm


for _ in range(4):
    update(tf.random.normal((8, 4)))
