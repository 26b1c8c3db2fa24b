"""A critic whose target is averaged with a share of zero, soon after the first steps: it stays what it was."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


critic, target = build(), build()
target.set_weights(critic.get_weights())
optimizer = keras.optimizers.Adam(3e-4)


def follow(tau=0.0):
    for theirs, ours in zip(target.weights, critic.weights):
        theirs.assign(tau * ours + (1.0 - tau) * theirs)  # fires: W503


for _ in range(4):
    states, following, rewards = tf.random.normal((8, 4)), tf.random.normal((8, 4)), tf.random.normal((8, 1))
    goal = rewards + 0.9 * target(following)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goal - critic(states)) ** 2)
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    follow()
