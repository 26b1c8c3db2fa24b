"""What lies outside the tape belongs there: the target, acting, evaluation."""
import keras
import tensorflow as tf


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])


keras.utils.set_random_seed(0)
q_net, target_net = build(), build()
target_net.set_weights(q_net.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
for update in range(5):
    states, following, rewards = tf.random.normal((8, 4)), tf.random.normal((8, 4)), tf.random.normal((8,))
    actions = tf.argmax(q_net(states), axis=1)
    target = rewards + 0.99 * tf.reduce_max(target_net(following), axis=1)
    with tf.GradientTape() as tape:
        q = tf.gather(q_net(states), actions, axis=1, batch_dims=1)
        loss = tf.reduce_mean((target - q) ** 2)
    gradients = tape.gradient(loss, q_net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, q_net.trainable_variables))
    target_net.set_weights(q_net.get_weights())
    print(update, float(tf.reduce_mean(q_net(states))))
