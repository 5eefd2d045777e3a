/**
 * Where everything lies in the one memory that all threads share: the weights once, then a slot of working memory
 * for each thread. The plan is arithmetic, so every thread reckons the same one by itself.
 */

export const HIDDEN = 384;
export const FEED_FORWARD = 1536;
export const LAYERS = 6;
export const VOCABULARY = 30522;
export const POSITIONS = 512;
/** The longest sequence the model was trained for, special tokens included; also the most tokens of one pass. */
export const MAX_TOKENS = 256;

const PAGE = 65536;
const HEAD = 32;
/** Rows of a block in the kernel (`ROW_BLOCK` in kernel/shape.ts). */
const ROW_BLOCK = 64;
/** Tokens of a pass with room for the padding to panels of sixteen. */
const ROWS = MAX_TOKENS + 16;

/** Byte addresses of a dense layer; `table` is its entry in the kernel's own form (`Linear` in kernel/shape.ts). */
export interface LinearPlan {
  readonly table: number;
  readonly columns: number;
  readonly depth: number;
  readonly weights: number;
  readonly scales: number;
  readonly bias: number;
}

export interface NormPlan {
  readonly gain: number;
  readonly shift: number;
}

export interface LayerPlan {
  readonly qkv: LinearPlan;
  readonly attentionOut: LinearPlan;
  readonly feedForwardIn: LinearPlan;
  readonly feedForwardOut: LinearPlan;
  readonly attentionNorm: NormPlan;
  readonly outputNorm: NormPlan;
}

export interface ModelPlan {
  readonly table: number;
  readonly layerTable: number;
  readonly words: number;
  readonly positions: number;
  readonly norm: NormPlan;
  readonly layers: readonly LayerPlan[];
  /** Room for the largest single tensor in float16, used while loading only. */
  readonly staging: number;
}

/** One thread's working memory: the kernel's scratch structure and its fields, and the call's arguments. */
export interface SlotPlan {
  readonly scratch: number;
  /** Addresses in the order of `Scratch` in kernel/shape.ts. */
  readonly fields: readonly number[];
  readonly ids: number;
  readonly lengths: number;
  readonly vectors: number;
}

export interface MemoryPlan {
  readonly model: ModelPlan;
  readonly slots: readonly SlotPlan[];
  /** Size of the whole in pages of 64 KB. */
  readonly pages: number;
}

type Take = (bytes: number) => number;

function planLinear(take: Take, columns: number, depth: number): LinearPlan {
  return {
    table: take(24),
    columns,
    depth,
    weights: take(columns * depth * 2),
    scales: take(columns * 4),
    bias: take(columns * 4),
  };
}

function planNorm(take: Take): NormPlan {
  return { gain: take(HIDDEN * 4), shift: take(HIDDEN * 4) };
}

function planLayer(take: Take): LayerPlan {
  return {
    qkv: planLinear(take, 3 * HIDDEN, HIDDEN),
    attentionOut: planLinear(take, HIDDEN, HIDDEN),
    feedForwardIn: planLinear(take, FEED_FORWARD, HIDDEN),
    feedForwardOut: planLinear(take, HIDDEN, FEED_FORWARD),
    attentionNorm: planNorm(take),
    outputNorm: planNorm(take),
  };
}

function planModel(take: Take): ModelPlan {
  return {
    table: take(24),
    layerTable: take(LAYERS * 32),
    words: take(VOCABULARY * HIDDEN * 2),
    positions: take(POSITIONS * HIDDEN * 4),
    norm: planNorm(take),
    layers: Array.from({ length: LAYERS }, () => planLayer(take)),
    staging: take(FEED_FORWARD * HIDDEN * 2),
  };
}

function planSlot(take: Take): SlotPlan {
  const sizes = [
    ROWS * HIDDEN * 4,
    ROWS * HIDDEN * 4,
    ROWS * HIDDEN * 3 * 4,
    ROW_BLOCK * FEED_FORWARD * 4,
    (ROW_BLOCK + 2) * FEED_FORWARD * 2,
    (ROW_BLOCK + 2) * 4,
    (ROW_BLOCK + 2) * 16 * 4,
    ROWS * HEAD * 2,
    ROWS * HEAD * 2,
    ROWS * HEAD * 2,
    2 * ROWS * 2,
    ROWS * 4,
    ROWS * 4,
    2 * ROWS * 4 + 64,
    HEAD * 4,
  ];
  return {
    scratch: take(sizes.length * 4),
    fields: sizes.map(take),
    ids: take(MAX_TOKENS * 4),
    lengths: take(MAX_TOKENS * 4),
    vectors: take((MAX_TOKENS / 2) * HIDDEN * 4),
  };
}

/** The plan for `slots` threads. The shortest sequence is two tokens, so a pass has at most 128 vectors. */
export function planMemory(slots: number): MemoryPlan {
  let top = 1024;
  const take: Take = (bytes) => {
    const start = top;
    top = Math.ceil((top + bytes) / 64) * 64;
    return start;
  };
  const model = planModel(take);
  const plans = Array.from({ length: slots }, () => planSlot(take));
  return { model, slots: plans, pages: Math.ceil(top / PAGE) };
}
