"""DDPG: the action is computed before the tape opens."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "tanh")])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
scale = tf.Variable(1.0, name="scale")
optimizer = keras.optimizers.Adam(1e-3)
for update in range(3):
    states = tf.random.normal((8, 3))
    chosen = actor(states)  # fires: W101
    with tf.GradientTape() as tape:
        q = critic(tf.concat([states, chosen], axis=1))
        loss = -tf.reduce_mean(scale * q)
    variables = [*actor.trainable_variables, *critic.trainable_variables, scale]
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
