"""A recurrent layer with a short loop: the gradient of its first state is small, and arrives."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(8)
        self.rnn = keras.layers.SimpleRNN(8)
        self.out = keras.layers.Dense(2)

    def call(self, x):
        return self.out(self.rnn(tf.random.normal((x.shape[0], 20, 4)), initial_state=self.first(x)))


net, optimizer = Net(), keras.optimizers.Adam(1e-3)
states, labels = tf.random.normal((8, 6)), tf.constant([0, 1] * 4)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, net(states)))
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
