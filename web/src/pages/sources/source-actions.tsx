import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { callWithProgress } from '../../api/progress.ts';
import { asApiError } from '../../api/use-request.ts';
import type { Task } from '../../parts/task.tsx';
import { notify } from '../../parts/toasts.tsx';
import { SOURCES } from '../../text/pages/sources.ts';
import { counted, t } from '../../text/text.ts';
import type { SourceInfo } from './runs.tsx';

interface SourceActionsProps {
  readonly source: SourceInfo;
  readonly task: Task;
  readonly onChange: () => void;
}

export function needsApproval({ condition }: SourceInfo): boolean {
  return condition === 'waiting for approval' || condition === 'changed, waiting for approval';
}

/** Reads a source now, pauses or resumes it. */
export function SourceActions({ source, task, onChange }: SourceActionsProps): JSX.Element {
  const { id, name, condition } = source;
  const canRun = ['fresh', 'stale', 'new', 'failing', 'paused'].includes(condition);
  const isKnown = !['gone', 'set elsewhere', 'disabled', 'imported'].includes(condition);
  const refresh = (): void =>
    task.start(async (control) => {
      const [result] = (await callWithProgress('/api/v1/sources/refresh', { ids: [id] }, control)).sources;
      onChange();
      if (result === undefined) return;
      if (result.error !== undefined) throw asApiError(new Error(result.error.message));
      const { added, updated, removed, unchanged, kept } = result;
      notify(
        kept > 0
          ? counted(SOURCES.kept, kept)
          : t(SOURCES.refreshed, { name, added, updated, removed, unchanged }),
      );
    });
  const pause = (isPaused: boolean): void =>
    task.start(async ({ signal }) => {
      await call(isPaused ? '/api/v1/sources/pause' : '/api/v1/sources/resume', { id }, { signal });
      onChange();
      notify(
        t(isPaused ? SOURCES.pausedDone : SOURCES.resumedDone, { name }),
        isPaused ? () => pause(false) : undefined,
      );
    });
  return (
    <>
      {canRun && (
        <button type="button" class="button" disabled={task.isRunning} onClick={refresh}>
          {t(SOURCES.refresh)}
        </button>
      )}
      {isKnown && (
        <button
          type="button"
          class="button"
          disabled={task.isRunning}
          onClick={() => pause(condition !== 'paused')}
        >
          {t(condition === 'paused' ? SOURCES.resume : SOURCES.pause)}
        </button>
      )}
    </>
  );
}
