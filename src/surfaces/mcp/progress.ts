import type { ProgressNotification, ProgressToken } from '@modelcontextprotocol/server';
import type { Progress } from '../../core/long-call.ts';

/** Milliseconds between two notifications of one stage. */
const EVERY = 100;

const DOING: Readonly<Record<Progress['stage'], string>> = {
  reading: 'reading',
  deriving: 'cutting into passages',
  embedding: 'embedding',
  waiting: 'waiting for another process',
};

/**
 * Tells a client how far a call is. Its numbers must grow with each notification (MCP 2025-11-25, "Progress"), while ours
 * begin anew with each stage: what former stages did is added.
 */
export function progressTeller(
  progressToken: ProgressToken,
  notify: (notification: ProgressNotification) => Promise<void>,
  now: () => number = () => performance.now(),
): (progress: Progress) => void {
  let stage = '';
  let before = 0;
  let last = { done: 0, told: -1, at: Number.NEGATIVE_INFINITY };
  return (progress) => {
    const current = `${progress.stage} ${progress.subject}`;
    const isNew = current !== stage;
    if (isNew) before += last.done;
    stage = current;
    const total = before + progress.done;
    const isDue = isNew || progress.done === progress.total || now() - last.at >= EVERY;
    const tells = isDue && total > last.told;
    last = {
      done: progress.done,
      told: tells ? total : last.told,
      at: tells ? now() : last.at,
    };
    if (!tells) return;
    const params = {
      progressToken,
      progress: total,
      ...(progress.total > 0 && { total: before + progress.total }),
      message: messageOf(progress),
    };
    // A client that went away needs no progress.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function messageOf({ stage, subject, done, total }: Progress): string {
  const what = stage === 'reading' ? `${DOING[stage]} ${subject}` : DOING[stage];
  return total === 0 ? `${what}: ${String(done)}` : `${what}: ${String(done)} of ${String(total)}`;
}
