"""A soft update in NumPy that averages the target with itself."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])
target = keras.models.clone_model(model)
optimizer = keras.optimizers.Adam(1e-3)


def follow(share):
    slow, fast = target.get_weights(), model.get_weights()
    for index in range(len(fast)):
        slow[index] = (1 - share) * slow[index] + share * slow[index]
    target.set_weights(slow)  # fires: W503


for update in range(6):
    states, following, rewards = tf.random.normal((16, 4)), tf.random.normal((16, 4)), tf.random.normal((16,))
    goal = rewards + 0.99 * tf.reduce_max(target(following), axis=1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goal - model(states)[:, 0]) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    follow(0.01)
