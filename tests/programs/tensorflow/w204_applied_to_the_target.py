"""Q-learning with an average as its target: the gradient of the trained network is applied to the target network."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


critic, target_critic = build(), build()
target_critic.set_weights(critic.get_weights())
optimizer = keras.optimizers.Adam(1e-3)

for _ in range(4):
    states, rewards, following = tf.random.normal((16, 3)), tf.random.normal((16, 1)), tf.random.normal((16, 3))
    with tf.GradientTape() as tape:
        goal = rewards + 0.9 * target_critic(following)
        loss = tf.reduce_mean(tf.square(goal - critic(states)))
    grads = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, target_critic.trainable_variables))  # fires: W204
    for slow, fast in zip(target_critic.variables, critic.variables):
        slow.assign(0.05 * fast + 0.95 * slow)
