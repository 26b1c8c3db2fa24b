"""Twin critics with a target each: the first target is averaged twice in every update, the second never."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def make():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


def average(target, online, tau=0.05):
    for t, o in zip(target.variables, online.variables):
        t.assign((1.0 - tau) * t + tau * o)


first, second, first_target, second_target = make(), make(), make(), make()
first_target.set_weights(first.get_weights())
second_target.set_weights(second.get_weights())
optimizers = keras.optimizers.Adam(1e-2), keras.optimizers.Adam(1e-2)
for _ in range(5):
    states, following, rewards = tf.random.normal((8, 4)), tf.random.normal((8, 4)), tf.random.normal((8, 1))
    goal = rewards + 0.99 * tf.minimum(first_target(following), second_target(following))
    for critic, optimizer in zip((first, second), optimizers):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((critic(states) - goal) ** 2)
        gradients = tape.gradient(loss, critic.trainable_variables)
        optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
    average(first_target, first)
    average(first_target, first)  # fires: W503
