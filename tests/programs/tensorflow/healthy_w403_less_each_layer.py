"""Networks whose gradient falls a little in each layer: normalised sigmoids, and a policy with small last weights."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
small = keras.initializers.RandomNormal(stddev=0.01)
inputs = x = y = keras.Input((16,))
for _ in range(10):
    x = keras.layers.Activation("sigmoid")(keras.layers.LayerNormalization()(keras.layers.Dense(32)(x)))
for _ in range(7):
    y = keras.layers.Dense(32, activation="tanh", kernel_initializer="orthogonal")(y)
optimizer_of = keras.optimizers.Adam
for output in (keras.layers.Dense(4)(x), keras.layers.Dense(4, kernel_initializer=small)(y)):
    policy, optimizer = keras.Model(inputs, output), optimizer_of(1e-3)
    for _ in range(4):
        states, actions = tf.random.normal((64, 16)), tf.random.uniform((64,), 0, 4, tf.int32)
        with tf.GradientTape() as tape:
            chosen = tf.gather(tf.nn.log_softmax(policy(states)), actions, batch_dims=1)
            loss = -tf.reduce_mean(chosen * states[:, 0])
        grads = tape.gradient(loss, policy.trainable_variables)
        optimizer.apply_gradients(zip(grads, policy.trainable_variables))
