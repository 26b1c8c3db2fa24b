// node run_models.js FOLDER...: loads the model.json in each, reads inputs.json, writes what TF.js says to outputs.json.
const fs = require('fs');
const path = require('path');
const tf = require('@tensorflow/tfjs');

function reader(folder) {
  return {load: async () => {
    const model = JSON.parse(fs.readFileSync(path.join(folder, 'model.json')));
    const files = model.weightsManifest.flatMap((group) => group.paths);
    const bytes = Buffer.concat(files.map((file) => fs.readFileSync(path.join(folder, file))));
    return {
      ...model,
      weightSpecs: model.weightsManifest.flatMap((group) => group.weights),
      weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    };
  }};
}

(async () => {
  await tf.setBackend('cpu');
  for (const folder of process.argv.slice(2)) {
    const model = await tf.loadLayersModel(reader(folder));
    const given = JSON.parse(fs.readFileSync(path.join(folder, 'inputs.json')));
    const inputs = given.map((one) => tf.tensor(one.values, one.shape));
    const found = model.predict(inputs.length > 1 ? inputs : inputs[0]);
    const outputs = (Array.isArray(found) ? found : [found]).map((one) => (
      {shape: one.shape, values: Array.from(one.dataSync())}));
    const whole = {outputs, metadata: model.getUserDefinedMetadata(), kind: model.getClassName()};
    fs.writeFileSync(path.join(folder, 'outputs.json'), JSON.stringify(whole));
  }
})();
