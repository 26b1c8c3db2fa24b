"""The target model is a clone with weights of its own; a third name for the online model is only for acting."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
online = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])
target, behaviour = keras.models.clone_model(online), online
target.set_weights(online.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
for update in range(6):
    states, following, rewards = tf.random.normal((16, 4)), tf.random.normal((16, 4)), tf.random.normal((16,))
    actions = tf.argmax(behaviour(states), axis=1)
    goal = rewards + 0.95 * tf.reduce_max(target(following), axis=1)
    with tf.GradientTape() as tape:
        chosen = tf.gather(online(states), actions, axis=1, batch_dims=1)
        loss = tf.reduce_mean(tf.square(chosen - goal))
    optimizer.apply_gradients(zip(tape.gradient(loss, online.trainable_variables), online.trainable_variables))
    if update % 2 == 1:
        target.set_weights(online.get_weights())
