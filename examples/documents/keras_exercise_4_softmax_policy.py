"""The Keras document, exercise 4: sample actions from a softmax policy, with log-probabilities.

Works for ordinary logits. The text's log of a softmax has a weak spot: once a logit is far
behind, its probability underflows to 0, the log is minus infinity and the gradient is NaN, which
the last lines show. `tf.nn.log_softmax` of the logits has no such problem.
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((4,)),
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(2),
    ]
)


def sample(states):
    probs = tf.nn.softmax(model(states))
    actions = tf.random.categorical(tf.math.log(probs), 1)[:, 0]
    log_probs = tf.math.log(tf.gather(probs, actions, batch_dims=1))
    return actions, log_probs


actions, log_probs = sample(tf.random.normal((5, 4)))
print("actions", actions.numpy(), "log-probabilities", log_probs.numpy().round(3))

logits = tf.Variable([[0.0, 200.0]])
for name in ("log(softmax)", "log_softmax"):
    with tf.GradientTape() as tape:
        if name == "log_softmax":
            log_prob = tf.nn.log_softmax(logits)[0, 0]
        else:
            log_prob = tf.math.log(tf.nn.softmax(logits))[0, 0]
    print(name, float(log_prob), "gradient", tape.gradient(log_prob, logits).numpy())
