/** Milliseconds of each call, in order. */
export async function timeEach<Item>(
  items: Iterable<Item>,
  work: (item: Item) => unknown,
): Promise<number[]> {
  const times: number[] = [];
  for (const item of items) {
    const start = performance.now();
    await work(item);
    times.push(performance.now() - start);
  }
  return times;
}

/** The smallest value that at least this share of the values does not exceed (nearest rank); NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
