"""A policy of two tanh layers, made by a function and called in a tape of one's own."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def mlp(x, sizes, activation):
    for size in sizes[:-1]:
        x = keras.layers.Dense(size, activation=activation)(x)
    return keras.layers.Dense(sizes[-1])(x)


given = keras.Input((4,))
policy = keras.Model(given, mlp(given, [16, 16, 2], "tanh"))
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def train(states, actions, advantages):
    with tf.GradientTape() as tape:
        chances = tf.gather(tf.nn.log_softmax(policy(states)), actions, batch_dims=1)
        loss = -tf.reduce_mean(chances * advantages)
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))


for _ in range(3):
    train(tf.random.normal((32, 4)), tf.random.uniform((32,), maxval=2, dtype=tf.int32), tf.random.normal((32,)))
