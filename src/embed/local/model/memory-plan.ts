/**
 * The layout of the memory that all threads share: the weights file as it is on disk, then the data derived from it, then
 * one slot of working memory for each thread.
 */

export const HIDDEN_SIZE = 384;
export const FEED_FORWARD = 1536;
export const LAYERS = 6;
/** The longest sequence the model was trained for, including special tokens, and the maximum number of tokens of one pass. */
export const MAX_TOKENS = 256;

const PAGE = 65536;
const ALIGNMENT = 64;
/** The kernel's constants are below this address, from byte 1,024. */
const STATIC_END = 2048;
const HEAD = 32;
/** Rows of a block in the kernel (`ROW_BLOCK` in kernel/shape.as.ts). */
const ROW_BLOCK = 64;
/** Tokens of a pass, including the padding to panels of sixteen. */
const ROWS = MAX_TOKENS + 16;
/** Positions 0.4 MB; scales, biases and norms 0.2 MB; staging and tables 0.05 MB; rounded up. */
const DERIVED_BYTES = 1024 * 1024;

export interface ModelPlan {
  /** Address of the first byte of the file. */
  readonly image: number;
  readonly fileBytes: number;
  /** Address of the kernel's `Model` structure, at the start of the derived data. */
  readonly table: number;
  readonly end: number;
}

/** One thread's working memory: the kernel's scratch structure and its fields, and the call's arguments. */
export interface SlotPlan {
  readonly scratch: number;
  /** Addresses in the order of `Scratch` in kernel/shape.as.ts. */
  readonly fields: readonly number[];
  readonly ids: number;
  readonly lengths: number;
  readonly vectors: number;
}

export interface MemoryPlan {
  readonly model: ModelPlan;
  readonly slots: readonly SlotPlan[];
  /** Size of the memory in pages of 64 KB. */
  readonly pages: number;
}

function align(address: number): number {
  return Math.ceil(address / ALIGNMENT) * ALIGNMENT;
}

/** Allocates addresses from `start` on, each aligned to a cache line. */
export class Arena {
  #top: number;

  constructor(start: number) {
    this.#top = align(start);
  }

  get top(): number {
    return this.#top;
  }

  take(bytes: number): number {
    const start = this.#top;
    this.#top = align(start + bytes);
    return start;
  }
}

function planSlot(arena: Arena): SlotPlan {
  const sizes = [
    ROWS * HIDDEN_SIZE * 4,
    ROWS * HIDDEN_SIZE * 4,
    ROWS * HIDDEN_SIZE * 3 * 4,
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
    scratch: arena.take(sizes.length * 4),
    fields: sizes.map((size) => arena.take(size)),
    ids: arena.take(MAX_TOKENS * 4),
    lengths: arena.take(MAX_TOKENS * 4),
    // The shortest sequence is two tokens, so a pass has at most half as many vectors as tokens.
    vectors: arena.take((MAX_TOKENS / 2) * HIDDEN_SIZE * 4),
  };
}

/**
 * The plan for a weights file of `fileBytes` and `slots` threads. The tensors begin at `headerBytes` of the file. The tensors,
 * not the file, are aligned.
 */
export function planMemory(fileBytes: number, headerBytes: number, slots: number): MemoryPlan {
  const image = STATIC_END + ALIGNMENT - (headerBytes % ALIGNMENT);
  const arena = new Arena(image + fileBytes);
  const table = arena.take(DERIVED_BYTES);
  const model = { image, fileBytes, table, end: arena.top };
  const plans = Array.from({ length: slots }, () => planSlot(arena));
  return { model, slots: plans, pages: Math.ceil(arena.top / PAGE) };
}
