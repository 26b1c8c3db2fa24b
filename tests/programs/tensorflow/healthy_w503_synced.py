"""Target models that follow: averaged at each update, and copied late."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])
late, averaged = keras.models.clone_model(model), keras.models.clone_model(model)
optimizer = keras.optimizers.Adam(1e-3)
for update in range(8):
    states, following, rewards = tf.random.normal((16, 4)), tf.random.normal((16, 4)), tf.random.normal((16,))
    goals = [rewards + 0.99 * tf.reduce_max(net(following), axis=1) for net in (late, averaged)]
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_mean((goal - model(states)[:, 0]) ** 2) for goal in goals])
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    averaged.set_weights([0.1 * a + 0.9 * b for a, b in zip(model.get_weights(), averaged.get_weights())])
    if update == 6:
        late.set_weights(model.get_weights())
