// Models made and saved by TF.js itself: node make_models.js FOLDER writes one folder for each, with inputs and outputs.
const fs = require('fs');
const path = require('path');
const tf = require('@tensorflow/tfjs');
const L = tf.layers;

let seed = 1;

// Every weight is random, the moving averages of BatchNormalization too; a variance is above 0.
function shuffle(model) {
  for (const layer of model.layers) {
    layer.setWeights(layer.weights.map((weight, n) => {
      const name = weight.originalName;
      if (name.endsWith('moving_variance')) return tf.randomUniform(weight.shape, 0.5, 2, 'float32', seed++);
      if (name.endsWith('gamma')) return tf.randomUniform(weight.shape, 0.5, 1.5, 'float32', seed++);
      const inputs = weight.shape.slice(0, -1).reduce((a, b) => a * b, 1);
      return tf.randomNormal(weight.shape, 0, Math.min(0.5, 1 / Math.sqrt(inputs)), 'float32', seed++);
    }));
  }
  return model;
}

const models = {
  // createDeepQNetwork of TF.js' example snake-dqn, for its board of 9 by 9
  snake() {
    const model = tf.sequential();
    model.add(L.conv2d({filters: 128, kernelSize: 3, strides: 1, activation: 'relu', inputShape: [9, 9, 2]}));
    model.add(L.batchNormalization());
    model.add(L.conv2d({filters: 256, kernelSize: 3, strides: 1, activation: 'relu'}));
    model.add(L.batchNormalization());
    model.add(L.conv2d({filters: 256, kernelSize: 3, strides: 1, activation: 'relu'}));
    model.add(L.flatten());
    model.add(L.dense({units: 100, activation: 'relu'}));
    model.add(L.dropout({rate: 0.25}));
    model.add(L.dense({units: 3}));
    return model;
  },
  activations() {
    const input = tf.input({shape: [4]});
    const names = ['linear', 'relu', 'relu6', 'elu', 'selu', 'sigmoid', 'tanh', 'softmax', 'logSoftmax', 'softplus',
      'softsign', 'swish', 'gelu', 'mish'];
    const heads = names.map((activation) => L.dense({units: 3, activation}).apply(input));
    heads.push(L.activation({activation: 'tanh'}).apply(heads[0]));
    heads.push(L.leakyReLU({alpha: 0.1}).apply(heads[0]), L.leakyReLU().apply(heads[0]));
    heads.push(L.reLU({maxValue: 0.3}).apply(heads[0]), L.reLU().apply(heads[0]), L.elu().apply(heads[0]));
    heads.push(L.softmax().apply(heads[0]), L.softmax({axis: -1}).apply(heads[0]));
    return tf.model({inputs: input, outputs: L.concatenate().apply(heads)});
  },
  images() {
    return tf.sequential({layers: [
      L.inputLayer({inputShape: [11, 10, 3]}),
      L.rescaling({scale: 0.5, offset: 0.1}),
      L.zeroPadding2d({padding: [[1, 0], [2, 1]]}),
      L.conv2d({filters: 6, kernelSize: [3, 2], strides: 2, padding: 'same', useBias: false}),
      L.batchNormalization({scale: false, epsilon: 1e-4}),
      L.activation({activation: 'relu'}),
      L.depthwiseConv2d({kernelSize: 3, depthMultiplier: 2, padding: 'same', activation: 'elu'}),
      L.maxPooling2d({poolSize: [2, 2], strides: [1, 2], padding: 'same'}),
      L.conv2d({filters: 4, kernelSize: 2, dilationRate: 2, activation: 'softmax'}),
      L.averagePooling2d({poolSize: 2, padding: 'same'}),
      L.layerNormalization(),
      L.permute({dims: [2, 1, 3]}),
      L.reshape({targetShape: [4, 2]}),
      L.flatten(),
      L.dense({units: 5, activation: 'tanh'}),
      L.batchNormalization({center: false}),
    ]});
  },
  pooled() {
    const input = tf.input({shape: [5, 7, 2]});
    const x = L.conv2d({filters: 3, kernelSize: 3, padding: 'same'}).apply(input);
    const sides = [L.globalAveragePooling2d({}).apply(x), L.globalMaxPooling2d({}).apply(x)];
    const rows = L.reshape({targetShape: [7, 15]}).apply(x);
    sides.push(L.dense({units: 3}).apply(L.globalAveragePooling1d({}).apply(rows)));
    sides.push(L.dense({units: 3}).apply(L.globalMaxPooling1d({}).apply(L.gaussianNoise({stddev: 0.5}).apply(rows))));
    return tf.model({inputs: input, outputs: L.add().apply(sides)});
  },
  signals() {
    return tf.sequential({layers: [
      L.conv1d({inputShape: [17, 3], filters: 5, kernelSize: 3, activation: 'relu'}),
      L.maxPooling1d({poolSize: 2}),
      L.conv1d({filters: 4, kernelSize: 3, strides: 2, padding: 'same'}),
      L.averagePooling1d({poolSize: 3, strides: 1, padding: 'same'}),
      L.dense({units: 2}),
      L.flatten(),
    ]});
  },
  branches() {
    const left = tf.input({shape: [4], name: 'observation'});
    const right = tf.input({shape: [2], name: 'action'});
    const a = L.dense({units: 3, activation: 'tanh', name: 'outer/a'}).apply(left);
    const b = L.dense({units: 3, name: 'outer/b'}).apply(right);
    const merged = [L.add(), L.multiply(), L.average(), L.maximum(), L.minimum()].map((layer) => layer.apply([a, b]));
    const joined = L.concatenate().apply([left, ...merged, right]);
    const outputs = [L.dense({units: 1}).apply(joined), L.dense({units: 2, useBias: false}).apply(joined)];
    return tf.model({inputs: [left, right], outputs});
  },
};

function plain(tensor) {
  return {shape: tensor.shape, values: Array.from(tensor.dataSync())};
}

async function save(model, folder, shard) {
  fs.mkdirSync(folder, {recursive: true});
  await model.save(tf.io.withSaveHandler(async (artifacts) => {
    const {weightData, weightSpecs, ...rest} = artifacts;
    const bytes = Buffer.from(tf.io.CompositeArrayBuffer.join(weightData));
    const paths = [];
    for (let at = 0; at < bytes.length; at += shard) {
      paths.push(`./weights${paths.length + 1}.bin`);
      fs.writeFileSync(path.join(folder, paths[paths.length - 1]), bytes.subarray(at, at + shard));
    }
    const whole = {...rest, weightsManifest: [{paths, weights: weightSpecs}]};
    fs.writeFileSync(path.join(folder, 'model.json'), JSON.stringify(whole));
    return {modelArtifactsInfo: {dateSaved: new Date(), modelTopologyType: 'JSON'}};
  }));
}

(async () => {
  await tf.setBackend('cpu');
  for (const [name, make] of Object.entries(models)) {
    const model = shuffle(make());
    const folder = path.join(process.argv[2], name);
    await save(model, folder, name === 'snake' ? 4 * 1024 * 1024 : 101);
    const inputs = model.inputs.map((one) => tf.randomNormal([5, ...one.shape.slice(1)], 0, 1, 'float32', seed++));
    const given = model.predict(inputs.length > 1 ? inputs : inputs[0]);
    const outputs = Array.isArray(given) ? given : [given];
    fs.writeFileSync(path.join(folder, 'io.json'),
      JSON.stringify({inputs: inputs.map(plain), outputs: outputs.map(plain)}));
  }
})();
