"""DDPG's slow target: the two networks are handed to the averaging function the wrong way round."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


def average(target, original, tau):
    target_weights = target.get_weights()
    original_weights = original.get_weights()
    for i in range(len(target_weights)):
        target_weights[i] = original_weights[i] * tau + target_weights[i] * (1 - tau)
    target.set_weights(target_weights)


critic, target_critic = build(), build()
target_critic.set_weights(critic.get_weights())
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(4):
    states, following, rewards = tf.random.normal((8, 4)), tf.random.normal((8, 4)), tf.random.normal((8, 1))
    with tf.GradientTape() as tape:
        goal = rewards + 0.9 * target_critic(following)
        loss = tf.reduce_mean(tf.square(goal - critic(states)))
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    average(critic, target_critic, 0.05)  # fires: W503
