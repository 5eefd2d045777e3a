import { setImmediate } from 'node:timers/promises';

const MAX_BLOCKING_MS = 5;

/** A function to await between the steps of a long task: it yields to the event loop when the task has blocked it for 5 ms. */
export function eventLoopYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_BLOCKING_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

/** Work that pauses after each bounded part of it, so that other work can run in between. It returns its result at the end. */
export type Slices<Result> = Generator<undefined, Result, undefined>;

/** The same for work that waits. */
export type AsyncSlices<Result> = AsyncGenerator<undefined, Result, undefined>;

export function isAsyncSlices(value: unknown): value is AsyncSlices<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

/** Runs all slices at once. */
export function withoutPauses<Result>(slices: Slices<Result>): Result {
  for (;;) {
    const { done, value: result } = slices.next();
    if (done === true) return result;
  }
}

/** The same. A value that has no slices is the result. */
export async function withoutAsyncPauses<Result>(value: AsyncSlices<Result> | Result): Promise<Result> {
  if (!isAsyncSlices(value)) return value;
  for (;;) {
    const { done, value: result } = await value.next();
    if (done === true) return result;
  }
}

/** Runs the slices and lets the event loop have its turns in between. */
export async function inTurns<Result>(slices: Slices<Result>): Promise<Result> {
  const yieldToEventLoop = eventLoopYielder();
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    await yieldToEventLoop();
  }
}

/** Calls `work` for each item and pauses after every `ITEMS_OF_SLICE`. */
export function* eachInSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Slices<void> {
  let count = 0;
  for (const item of items) {
    work(item);
    if (++count % ITEMS_OF_SLICE === 0) yield;
  }
}

/** Few enough to take a millisecond or two. */
const ITEMS_OF_SLICE = 500;
