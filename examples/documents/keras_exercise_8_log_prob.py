"""The Keras document, exercise 8: minimise minus the log-probability of the sampled actions.

The text says that the loss decreases and that this is the core of REINFORCE. The reward, which is
the core, is missing. Without it the expected gradient is zero: the average over many draws is far
smaller than one draw. What is left is noise, so with some seeds the loss falls in fifty steps and
with others it rises. (Large steps, such as Adam at 0.01, do make it fall: noise drives the policy
to certainty, whatever its actions are worth.)
"""

import tensorflow as tf

STEPS = 50
SEEDS = 12


def make_policy() -> tf.keras.Model:
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((4,)),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dense(2),
        ]
    )


policy = make_policy()
# Plain gradient descent keeps nothing between steps, so one optimizer serves all seeds.
optimizer = tf.keras.optimizers.SGD(learning_rate=0.05)


def sample(states):
    probs = tf.nn.softmax(policy(states))
    actions = tf.random.categorical(tf.math.log(probs), 1)[:, 0]
    return actions, tf.math.log(tf.gather(probs, actions, batch_dims=1))


@tf.function
def gradients_of(states):
    with tf.GradientTape() as tape:
        _, log_probs = sample(states)
        loss = -tf.reduce_mean(log_probs)
    return loss, tape.gradient(loss, policy.trainable_variables)


@tf.function
def train_step(states):
    loss, gradients = gradients_of(states)
    optimizer.apply_gradients(zip(gradients, policy.trainable_variables, strict=True))
    return loss


fell = 0
for seed in range(SEEDS):
    tf.keras.utils.set_random_seed(seed)
    policy.set_weights(make_policy().get_weights())
    states = tf.random.normal((32, 4))
    losses = [float(train_step(states)) for _ in range(STEPS)]
    first, last = sum(losses[:10]) / 10, sum(losses[-10:]) / 10
    fell += last < first
    print(f"seed {seed:2d}  mean loss of the first ten {first:.4f}, of the last ten {last:.4f}")
print(f"the loss fell with {fell} of {SEEDS} seeds")

draws = [gradients_of(states)[1] for _ in range(1000)]
single = sum(float(tf.linalg.global_norm(draw)) for draw in draws) / len(draws)
mean = [tf.add_n(parts) / len(draws) for parts in zip(*draws, strict=True)]
print(f"norm of one gradient {single:.4f}, of the mean of 1000 {tf.linalg.global_norm(mean):.4f}")
