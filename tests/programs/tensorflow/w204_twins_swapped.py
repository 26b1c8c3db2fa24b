"""Twin critics, each with a target of its own: the gradients of both go to both, in the other order."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def critic():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])


q1, q2, target1, target2 = critic(), critic(), critic(), critic()
target1.set_weights(q1.get_weights())
target2.set_weights(q2.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    states, following = tf.random.normal((8, 4)), tf.random.normal((8, 4))
    goal = states[:, :1] + 0.9 * tf.minimum(target1(following), target2(following))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((q1(states) - goal) ** 2) + tf.reduce_mean((q2(states) - goal) ** 2)
    grads = tape.gradient(loss, q1.trainable_variables + q2.trainable_variables)
    optimizer.apply_gradients(zip(grads, q2.trainable_variables + q1.trainable_variables))  # fires: W204
    for online, target in ((q1, target1), (q2, target2)):
        for value, average in zip(online.variables, target.variables):
            average.assign(0.01 * value + 0.99 * average)
