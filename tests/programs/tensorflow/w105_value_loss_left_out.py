"""A2C: the value loss is computed and not added."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
states_in = keras.Input((4,))
features = keras.layers.Dense(8, "tanh", name="body")(states_in)
outputs = [keras.layers.Dense(2, name="policy")(features), keras.layers.Dense(1, name="value")(features)]
net = keras.Model(states_in, outputs)
optimizer = keras.optimizers.Adam(1e-3)
for update in range(3):
    states, returns = tf.random.normal((8, 4)), tf.random.normal((8,))
    actions = tf.random.uniform((8,), 0, 2, tf.int32)
    with tf.GradientTape() as tape:
        logits, values = net(states)
        values = values[:, 0]
        advantage = tf.stop_gradient(returns - values)
        log_prob = tf.gather(tf.nn.log_softmax(logits), actions, axis=1, batch_dims=1)
        policy_loss = -tf.reduce_mean(log_prob * advantage)
        value_loss = tf.reduce_mean((returns - values) ** 2)
        loss = policy_loss + 0.01 * tf.reduce_mean(logits**2)  # fires: W105
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, net.trainable_variables) if g is not None])
    print(update, float(value_loss))
