"""A cycle of two generators: the gradient of each is asked of the loss that is meant for the other."""
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)


def network(name, outputs):
    layers = [keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(outputs)]
    return keras.Sequential(layers, name=name)


generator_g, generator_f = network("g", 8), network("f", 8)
judge_x, judge_y = network("x", 1), network("y", 1)
optimizers = [keras.optimizers.Adam(2e-4, beta_1=0.5) for _ in range(4)]
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


def judge_loss(real, made):
    return cross_entropy(tf.ones_like(real), real) + cross_entropy(tf.zeros_like(made), made)


def near(one, other):
    return 10.0 * tf.reduce_mean(tf.abs(one - other))


@tf.function
def train_step(x, y):
    with tf.GradientTape(persistent=True) as tape:
        made_y, made_x = generator_g(x), generator_f(y)
        cycle = near(x, generator_f(made_y)) + near(y, generator_g(made_x))
        says_y, says_x = judge_y(made_y), judge_x(made_x)
        g_loss = cross_entropy(tf.ones_like(says_y), says_y) + cycle + near(y, generator_g(y))
        f_loss = cross_entropy(tf.ones_like(says_x), says_x) + cycle + near(x, generator_f(x))
        x_loss, y_loss = judge_loss(judge_x(x), says_x), judge_loss(judge_y(y), says_y)
    g_gradients = tape.gradient(f_loss, generator_g.trainable_variables)  # fires: W204
    f_gradients = tape.gradient(g_loss, generator_f.trainable_variables)
    x_gradients = tape.gradient(x_loss, judge_x.trainable_variables)
    y_gradients = tape.gradient(y_loss, judge_y.trainable_variables)
    found = [g_gradients, f_gradients, x_gradients, y_gradients]
    for optimizer, gradients, net in zip(optimizers, found, [generator_g, generator_f, judge_x, judge_y]):
        optimizer.apply_gradients(zip(gradients, net.trainable_variables))


for step in range(4):
    train_step(tf.random.normal((8, 8)), tf.random.normal((8, 8)) + 1.0)
