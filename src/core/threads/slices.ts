/** Work that pauses after each bounded part of it, so that other work can run in between. It returns its result at the end. */
export type Slices<Result> = Generator<undefined, Result, undefined>;

export function isSlices(value: unknown): value is Slices<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;
}

/** Runs all slices at once. A value that has none is the result. */
export function withoutPauses<Result>(value: Slices<Result> | Result): Result {
  if (!isSlices(value)) return value;
  for (;;) {
    const { done, value: result } = value.next();
    if (done === true) return result as Result;
  }
}
