"""A model rebuilt long after the first updates: the optimizer refuses its variables."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
states = tf.random.normal((8, 3))


for update in range(12):
    if update == 10:
        net = keras.models.clone_model(net)  # fires: W202
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(net(states) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
