"""A training loop that looks at the norms first, in a list of pairs that the optimizer is given too."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)

for _ in range(3):
    inputs = tf.random.normal((16, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(inputs) - tf.reduce_sum(inputs, axis=1, keepdims=True)))
    pairs = list(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    norms = [tf.norm(gradient) for gradient, _ in pairs]
    optimizer.apply_gradients(pairs)
