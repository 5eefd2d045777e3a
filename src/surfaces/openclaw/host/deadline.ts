import { within } from '../../../core/time/within.ts';

/** The result of work for a call that the caller then no longer waits for. What it was doing may go on. @throws at the deadline */
export function answerWithin<Result>(work: Promise<Result>, deadlineMs: number): Promise<Result> {
  return within(work, deadlineMs, () => {
    throw new Error(`memory did not answer within ${String(deadlineMs)} ms`);
  });
}
