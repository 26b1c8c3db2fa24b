"""Twin critics: the average for the second target is given to the first one, so that the second never follows."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


critic_1, critic_2, target_1, target_2 = build(), build(), build(), build()
optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)


def follow(tau=0.05):
    weights = [w * tau + t * (1 - tau) for w, t in zip(critic_1.weights, target_1.weights)]
    target_1.set_weights(weights)
    weights = [w * tau + t * (1 - tau) for w, t in zip(critic_2.weights, target_2.weights)]
    target_1.set_weights(weights)  # fires: W503


for _ in range(4):
    states, following, rewards = tf.random.normal((8, 4)), tf.random.normal((8, 4)), tf.random.normal((8, 1))
    goal = rewards + 0.9 * tf.minimum(target_1(following), target_2(following))
    with tf.GradientTape(persistent=True) as tape:
        losses = [tf.reduce_mean((goal - critic(states)) ** 2) for critic in (critic_1, critic_2)]
    for loss, critic, optimizer in zip(losses, (critic_1, critic_2), optimizers):
        optimizer.apply_gradients(zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables))
    follow()
