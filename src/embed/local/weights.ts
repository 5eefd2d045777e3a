/** Loads the model's float16 weights into the shared memory, in the form the kernel reads. */

import type { Kernel } from './kernel.ts';
import { HIDDEN, LAYERS, POSITIONS, VOCABULARY } from './memory-plan.ts';
import type { LinearPlan, ModelPlan, NormPlan } from './memory-plan.ts';
import { SafetensorsFile } from './safetensors.ts';

interface Loading {
  readonly file: SafetensorsFile;
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly staging: number;
}

function bytesAt(memory: WebAssembly.Memory, address: number): Uint8Array {
  return new Uint8Array(memory.buffer, address);
}

/** A one- or two-dimensional tensor, widened to float32. */
function loadFloats(
  { file, kernel, memory, staging }: Loading,
  name: string,
  shape: number[],
  to: number,
): void {
  file.readHalf(name, shape, bytesAt(memory, staging));
  const count = shape.reduce((product, side) => product * side, 1);
  kernel.widenHalf(staging, to, count);
}

function loadNorm(loading: Loading, name: string, plan: NormPlan): void {
  loadFloats(loading, `${name}.weight`, [HIDDEN], plan.gain);
  loadFloats(loading, `${name}.bias`, [HIDDEN], plan.shift);
}

/** Packs one or more dense layers of the same depth side by side (query, key and value are one product). */
function loadLinear(loading: Loading, names: readonly string[], plan: LinearPlan): void {
  const { file, kernel, memory, staging } = loading;
  const columns = plan.columns / names.length;
  let maxColumnNorm = 0;
  names.forEach((name, index) => {
    const first = index * columns;
    file.readHalf(`${name}.weight`, [columns, plan.depth], bytesAt(memory, staging));
    const weights = plan.weights + first * plan.depth * 2;
    const norm = kernel.packWeights(staging, columns, plan.depth, weights, plan.scales + first * 4);
    maxColumnNorm = Math.max(maxColumnNorm, norm);
    loadFloats(loading, `${name}.bias`, [columns], plan.bias + first * 4);
  });
  const table = new DataView(memory.buffer, plan.table, 24);
  [plan.weights, plan.scales, plan.bias].forEach((address, i) => {
    table.setUint32(i * 4, address, true);
  });
  table.setFloat32(12, maxColumnNorm, true);
  table.setUint32(16, plan.columns, true);
  table.setUint32(20, plan.depth, true);
}

function loadEmbeddings(loading: Loading, plan: ModelPlan): void {
  const { file, kernel, memory, staging } = loading;
  file.readHalf('embeddings.word_embeddings.weight', [VOCABULARY, HIDDEN], bytesAt(memory, plan.words));
  loadFloats(loading, 'embeddings.position_embeddings.weight', [POSITIONS, HIDDEN], plan.positions);
  // The two rows of the token types, float32, behind the bytes they are staged in; only type 0 is used.
  const types = staging + 4 * HIDDEN;
  loadFloats(loading, 'embeddings.token_type_embeddings.weight', [2, HIDDEN], types);
  kernel.addToRows(plan.positions, types, POSITIONS);
  loadNorm(loading, 'embeddings.LayerNorm', plan.norm);
}

function loadLayer(loading: Loading, plan: ModelPlan, index: number): void {
  const layer = plan.layers[index];
  if (!layer) throw new RangeError(`layer ${index}`);
  const name = `encoder.layer.${index}`;
  const attention = ['query', 'key', 'value'].map((part) => `${name}.attention.self.${part}`);
  loadLinear(loading, attention, layer.qkv);
  loadLinear(loading, [`${name}.attention.output.dense`], layer.attentionOut);
  loadLinear(loading, [`${name}.intermediate.dense`], layer.feedForwardIn);
  loadLinear(loading, [`${name}.output.dense`], layer.feedForwardOut);
  loadNorm(loading, `${name}.attention.output.LayerNorm`, layer.attentionNorm);
  loadNorm(loading, `${name}.output.LayerNorm`, layer.outputNorm);
  const table = [
    layer.qkv.table,
    layer.attentionOut.table,
    layer.feedForwardIn.table,
    layer.feedForwardOut.table,
    layer.attentionNorm.gain,
    layer.attentionNorm.shift,
    layer.outputNorm.gain,
    layer.outputNorm.shift,
  ];
  new Uint32Array(loading.memory.buffer, plan.layerTable + index * 32, 8).set(table);
}

/**
 * Reads 45 MB and packs them (about 60 ms on one 3 GHz core): for worker threads only.
 * @throws Error when the file is missing, short, or of another model.
 */
export function loadWeights(path: string, kernel: Kernel, memory: WebAssembly.Memory, plan: ModelPlan): void {
  const file = new SafetensorsFile(path);
  try {
    const loading = { file, kernel, memory, staging: plan.staging };
    loadEmbeddings(loading, plan);
    for (let index = 0; index < LAYERS; index++) loadLayer(loading, plan, index);
  } finally {
    file.close();
  }
  const table = [plan.words, plan.positions, plan.norm.gain, plan.norm.shift, LAYERS, plan.layerTable];
  new Uint32Array(memory.buffer, plan.table, 6).set(table);
}
