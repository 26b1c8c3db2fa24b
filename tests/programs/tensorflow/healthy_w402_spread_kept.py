"""A compiled update whose learned spread is kept above zero."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
spread = tf.Variable(2.0, name="spread")
optimizer = keras.optimizers.SGD(0.5)


@tf.function
def update(states):
    variables = [*net.trainable_variables, spread]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(net(states) ** 2) / 10.0 + 0.1 * tf.sqrt(tf.maximum(spread - 1.0, 0.1))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


for _ in range(100):
    update(tf.random.normal((8, 2)))
