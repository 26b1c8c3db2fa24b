"""Large gradients that are no explosion: targets in the thousands, and a long GRU."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
memory = keras.Sequential([keras.Input((30, 4)), keras.layers.GRU(8, unroll=True), keras.layers.Dense(1)])
for net, shape in ((model, (32, 4)), (memory, (8, 30, 4))):
    optimizer = keras.optimizers.Adam(1e-2, global_clipnorm=10.0)
    for update in range(6):
        states = tf.random.normal(shape)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - 5000.0) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
