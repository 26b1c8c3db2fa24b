"""The advantage is normalised before it weighs, and is stopped where it is made."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for update in range(5):
    states, returns = tf.random.normal((16, 4)), tf.random.normal((16,))
    actions = tf.random.uniform((16,), 0, 3, tf.int32)
    with tf.GradientTape() as tape:
        values = critic(states)[:, 0]
        chosen = tf.gather(tf.nn.log_softmax(actor(states)), actions, axis=1, batch_dims=1)
        advantage = tf.stop_gradient(returns - values)
        advantage -= tf.reduce_mean(advantage)
        advantage /= tf.math.reduce_std(advantage) + 1e-8
        actor_loss = -tf.reduce_mean(chosen * advantage)
        loss = actor_loss + tf.reduce_mean(tf.square(returns - values))
    variables = actor.trainable_variables + critic.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
