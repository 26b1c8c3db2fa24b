"""A soft update in TensorFlow that computes the average and assigns it to a loop variable."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
target_critic = keras.models.clone_model(critic)
target_critic.set_weights(critic.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
for update in range(6):
    states, following, rewards = tf.random.normal((16, 4)), tf.random.normal((16, 4)), tf.random.normal((16, 1))
    goal = rewards + 0.99 * target_critic(following)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goal - critic(states)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables))
    for slow, fast in zip(target_critic.trainable_variables, critic.trainable_variables):
        slow = 0.005 * fast + 0.995 * slow  # fires: W503
