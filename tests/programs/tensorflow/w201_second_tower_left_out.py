"""Two towers with a projection each; a property lists the variables, and leaves one projection out."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Pair:
    def __init__(self):
        self.pictures = keras.Sequential([keras.Input((12,)), keras.layers.Dense(16, "relu")])
        self.words = keras.Sequential([keras.Input((6,)), keras.layers.Dense(16, "relu")])
        self.picture_head = keras.Sequential([keras.Input((16,)), keras.layers.Dense(8)])
        self.word_head = keras.Sequential([keras.Input((16,)), keras.layers.Dense(8)])

    @property
    def trainable_variables(self):
        return [v for part in (self.pictures, self.words, self.word_head) for v in part.trainable_variables]


pair, optimizer = Pair(), keras.optimizers.Adam(1e-3)
for step in range(6):
    with tf.GradientTape() as tape:
        left = pair.picture_head(pair.pictures(tf.random.normal((16, 12))))
        right = pair.word_head(pair.words(tf.random.normal((16, 6))))
        scores = tf.matmul(left, right, transpose_b=True)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(16), scores))
    gradients = tape.gradient(loss, pair.trainable_variables)  # fires: W201
    optimizer.apply_gradients(zip(gradients, pair.trainable_variables))
