"""The list of variables was made before the model was frozen for another's sake; the loss takes the sign."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
variables = critic.trainable_variables
critic.trainable = False
optimizer = keras.optimizers.SGD(1e-2)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.sign(critic(tf.random.normal((8, 4)))))  # fires: W104
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
