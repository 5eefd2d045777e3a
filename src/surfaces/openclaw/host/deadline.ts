/** A call that the caller no longer waits for. What it was doing may go on. */
class DeadlineError extends Error {
  constructor(deadlineMs: number) {
    super(`memory did not answer within ${String(deadlineMs)} ms`);
  }
}

/** @throws DeadlineError, or the error of the work */
export async function withDeadline<Result>(work: Promise<Result>, deadlineMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DeadlineError(deadlineMs));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // A failure after the deadline concerns nobody.
    work.catch(() => undefined);
  }
}
