import type { ProgressNotification, ProgressToken } from '@modelcontextprotocol/server';
import type { Progress } from '../../core/progress.ts';
import { stageText } from '../shared/progress-text.ts';

/** Between two notifications of one stage. */
const INTERVAL_MS = 100;

/**
 * Notifies a client of the progress of a call. The numbers that it sends must increase (MCP 2025-11-25, "Progress"). Those of a
 * call restart with each stage, so that the work of the earlier stages is added.
 */
export function progressNotifier(
  progressToken: ProgressToken,
  notify: (notification: ProgressNotification) => Promise<void>,
  now: () => number = () => performance.now(),
): (progress: Progress) => void {
  let currentStage = '';
  let doneInEarlierStages = 0;
  let last = { done: 0, notified: -1, at: Number.NEGATIVE_INFINITY };
  return (progress) => {
    const stage = `${progress.stage} ${progress.subject}`;
    const isNewStage = stage !== currentStage;
    if (isNewStage) doneInEarlierStages += last.done;
    currentStage = stage;
    const done = doneInEarlierStages + progress.done;
    const isDue = isNewStage || progress.done === progress.total || now() - last.at >= INTERVAL_MS;
    const notifies = isDue && done > last.notified;
    last = {
      done: progress.done,
      notified: notifies ? done : last.notified,
      at: notifies ? now() : last.at,
    };
    if (!notifies) return;
    const params = {
      progressToken,
      progress: done,
      ...(progress.total > 0 && { total: doneInEarlierStages + progress.total }),
      message: messageOf(progress),
    };
    // A client that has disconnected needs no progress.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function messageOf(progress: Progress): string {
  const { stage, done, total } = progress;
  if (stage === 'waiting') return stageText(progress);
  return `${stageText(progress)}: ${total === 0 ? String(done) : `${String(done)} of ${String(total)}`}`;
}
