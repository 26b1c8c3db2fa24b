"""The target model is the model itself; set_weights copies it onto itself."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])
target_model = model  # fires: W502
optimizer = keras.optimizers.Adam(1e-3)
for update in range(6):
    states, following, rewards = tf.random.normal((16, 4)), tf.random.normal((16, 4)), tf.random.normal((16,))
    goal = rewards + 0.99 * tf.reduce_max(target_model(following), axis=1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goal - model(states)[:, 0]) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    if update % 2 == 1:
        target_model.set_weights(model.get_weights())
