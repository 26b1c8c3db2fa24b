"""Actor and critic with small steps: neither gradient grows."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
actor_optimizer = keras.optimizers.Adam(1e-3)
critic_optimizer = keras.optimizers.SGD(1e-2)

for _ in range(5):
    states, rewards = tf.random.normal((16, 3)), 2.0 + tf.random.normal((16, 1))
    actions = tf.random.uniform((16,), maxval=2, dtype=tf.int32)
    advantage = rewards - critic(states)
    with tf.GradientTape() as tape:
        chance = tf.gather(tf.nn.log_softmax(actor(states)), actions, batch_dims=1)
        loss = -tf.reduce_mean(chance * advantage[:, 0])
    grads = tape.gradient(loss, actor.trainable_variables)
    actor_optimizer.apply_gradients(zip(grads, actor.trainable_variables))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(rewards - critic(states)))
    grads = tape.gradient(loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(grads, critic.trainable_variables))
