/** Dimensions of all-MiniLM-L6-v2, and the structures that the loader fills for the kernel. */

export const HIDDEN_SIZE: i32 = 384;
export const HEADS: i32 = 12;
export const HEAD_SIZE: i32 = 32;

/**
 * Bytes of one float32 row: of the hidden state; of query, key and value side by side; of the intermediate state of the
 * feed-forward layer.
 */
export const ROW_BYTES: usize = 1536;
export const QKV_ROW_BYTES: usize = 4608;
export const INTERMEDIATE_ROW_BYTES: usize = 6144;
/** Bytes of one head's slice of a query, key or value. */
export const HEAD_BYTES: usize = 128;

/** Rows that pass through a layer together: 64 rows of activations and a panel of weights stay in the cache. */
export const ROW_BLOCK: i32 = 64;

/** A dense layer: `weights` in panels (see pack.as.ts), a scale and a bias for each output column. */
@unmanaged
export class Linear {
  weights: usize;
  scales: usize;
  bias: usize;
  /**
   * The largest L2 norm of a packed column, in integer units. It limits the activations' scale. Query, key and value
   * use the same quantised activations, so they share the largest of the three.
   */
  maxColumnNorm: f32;
  columns: i32;
  depth: i32;
}

/** One encoder layer, addresses only. Layers are stored one after another. */
@unmanaged
export class Layer {
  query: Linear;
  key: Linear;
  value: Linear;
  attentionOut: Linear;
  feedForwardIn: Linear;
  feedForwardOut: Linear;
  attentionGain: usize;
  attentionShift: usize;
  outputGain: usize;
  outputShift: usize;
}

@unmanaged
export class Model {
  /** float16 [vocabulary][384]. */
  words: usize;
  /** float32 [256][384]: position plus token type 0. */
  positions: usize;
  gain: usize;
  shift: usize;
  layerCount: i32;
  layers: usize;
}

/**
 * Working memory of one thread. T is the most tokens of one pass, rounded up with room for a padded row pair;
 * B is ROW_BLOCK.
 */
@unmanaged
export class Scratch {
  /** f32 [T][384] */
  hidden: usize;
  /** f32 [T][384] */
  attended: usize;
  /** f32 [T][1152] */
  qkv: usize;
  /** f32 [B][1536] */
  intermediate: usize;
  /** i16 [B + 2][1536], row pairs interleaved (see quantise.as.ts) */
  quantised: usize;
  /** f32 [B + 2] */
  rowScales: usize;
  /** i32 [B + 2][16] */
  sums: usize;
  /** i16 [T][32], row pairs interleaved */
  queries: usize;
  /** i16 panels [T/16][16][16][2] */
  keys: usize;
  /** i16 panels [2][T/2][16][2] */
  values: usize;
  /** i16 [2][T] interleaved */
  probabilities: usize;
  /** f32 [T] */
  queryScales: usize;
  /** f32 [T] */
  keyScales: usize;
  /** f32 [2][T] and two more for the rows' scales */
  scores: usize;
  /** f32 [32] */
  valueScales: usize;
}
