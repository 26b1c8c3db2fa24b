"""The policy joins after ten updates of the value function alone."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
body = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh")])
value = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
policy = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)
variables = [v for part in (body, value, policy) for v in part.trainable_variables]
optimizer.build(variables)
for step in range(14):
    states, returns = tf.random.normal((8, 4)), tf.random.normal((8, 1))
    with tf.GradientTape() as tape:
        features = body(states)
        loss = tf.reduce_mean((value(features) - returns) ** 2)
        if step >= 10:
            loss -= tf.reduce_mean(tf.nn.log_softmax(policy(features))[:, 0] * returns[:, 0])
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
