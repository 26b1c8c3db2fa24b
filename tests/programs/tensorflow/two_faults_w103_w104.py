"""Two faults: the temperature goes through a Python float, the policy through an arg-max."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
temperature = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, "softplus")])
head = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
variables = [v for part in (policy, temperature, head) for v in part.trainable_variables]
for step in range(3):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        warmth = float(tf.reduce_mean(temperature(states)))  # fires: W103
        best = tf.argmax(policy(states), axis=1)  # fires: W104
        output = head(tf.one_hot(best, 3))
        loss = tf.reduce_mean((output * warmth - 1.0) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
