import { within } from '../../../core/time/deadline.ts';

/** The result of work that a caller waits for until the deadline. The work may go on after it. @throws at the deadline */
export function answerWithin<Result>(work: Promise<Result>, deadlineMs: number): Promise<Result> {
  return within(work, deadlineMs, () => {
    throw new Error(`memory did not answer within ${String(deadlineMs)} ms`);
  });
}
