"""Mixed precision: gradients are clipped while they are still multiplied by the scale of the loss."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
keras.mixed_precision.set_global_policy("mixed_float16")
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1, dtype="float32")])
optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=1024.0)
for step in range(5):
    states, targets = tf.random.normal((16, 4)), tf.random.normal((16, 1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(states) - targets) ** 2)
        scaled = optimizer.scale_loss(loss)
    gradients = tape.gradient(scaled, net.trainable_variables)
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)  # fires: W303
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
