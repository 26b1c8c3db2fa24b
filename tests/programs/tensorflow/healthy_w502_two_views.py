"""One network without a target network, called by two models: values alone, and values with a policy."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
inputs = keras.Input((4,))
features = keras.layers.Dense(16, activation="relu")(inputs)
value = keras.layers.Dense(1)(features)
critic = keras.Model(inputs, value)
agent = keras.Model(inputs, [value, keras.layers.Dense(2)(features)])
optimizer = keras.optimizers.Adam(1e-3)
for _update in range(6):
    states = tf.random.normal((16, 4))
    goal = states[:, :1] + 0.95 * critic(0.9 * states)
    with tf.GradientTape() as tape:
        values, logits = agent(states)
        chance = tf.nn.log_softmax(logits)[:, :1]
        loss = tf.reduce_mean((goal - values) ** 2) - tf.reduce_mean(chance * tf.stop_gradient(goal - values))
    gradients = tape.gradient(loss, agent.trainable_variables)
    optimizer.apply_gradients(zip(gradients, agent.trainable_variables, strict=True))
