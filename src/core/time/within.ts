/**
 * The result of the work, or what `late` returns or throws if it takes longer. The work goes on then, and its failure concerns nobody.
 * @param maxMs 0 for no limit
 */
export async function within<Result, Late = Result>(
  work: Promise<Result>,
  maxMs: number,
  late: () => Late,
): Promise<Result | Late> {
  if (maxMs === 0) return work;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, maxMs, undefined);
  try {
    return await Promise.race([work, promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
