"""Mixed precision in a loop of one's own and by fit: the scaled loss is differentiated, the inner optimizer clips."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
keras.mixed_precision.set_global_policy("mixed_float16")
layers = [keras.layers.Dense(16, "relu"), keras.layers.Dense(1, dtype="float32")]
net = keras.Sequential([keras.Input((4,)), *layers])
optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.01, clipnorm=1.0), initial_scale=1024.0)
for step in range(5):
    states, targets = tf.random.normal((16, 4)), tf.random.normal((16, 1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(states) - targets) ** 2)
        scaled = optimizer.scale_loss(loss)
    gradients = tape.gradient(scaled, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
other = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, dtype="float32")])
other.compile(optimizer="adam", loss="mse")
other.fit(tf.random.normal((64, 4)), tf.random.normal((64, 1)), batch_size=16, verbose=0)
