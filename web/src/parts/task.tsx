import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import type { Progress } from '../api/progress.ts';
import { asApiError } from '../api/use-request.ts';
import { TASK } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { ErrorText, PlainText } from './plain-text.tsx';

/** What a task gets, to report how far it is and to learn that it shall stop. */
export interface TaskControl {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface Task {
  readonly isRunning: boolean;
  readonly progress: Progress | null;
  readonly error: ApiError | null;
  /** Runs the work, unless something runs already. */
  readonly start: (work: (control: TaskControl) => Promise<void>) => void;
  readonly stop: () => void;
}

/** A change that may take a while. It goes on when the reader opens another page. */
export function useTask(): Task {
  const [state, setState] = useState<Pick<Task, 'isRunning' | 'progress' | 'error'>>({
    isRunning: false,
    progress: null,
    error: null,
  });
  const controller = useRef<AbortController | null>(null);
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const show: typeof setState = (next) => {
    if (isShown.current) setState(next);
  };
  const start: Task['start'] = (work) => {
    if (controller.current !== null) return;
    const { signal } = (controller.current = new AbortController());
    show({ isRunning: true, progress: null, error: null });
    void work({ signal, onProgress: (progress) => show({ isRunning: true, progress, error: null }) })
      .then(
        () => null,
        (error: unknown) => (signal.aborted ? null : asApiError(error)),
      )
      .then((error) => {
        controller.current = null;
        show({ isRunning: false, progress: null, error });
      });
  };
  return { ...state, start, stop: () => controller.current?.abort() };
}

/** How far a task is, with a way to stop it, or why it failed. */
export function TaskState({ task }: { readonly task: Task }): JSX.Element | null {
  const { isRunning, progress, error } = task;
  if (error !== null)
    return (
      <div class="task failed" role="alert">
        <ErrorText error={error} />
      </div>
    );
  if (!isRunning) return null;
  const { stage, subject, done, total } = progress ?? { stage: 'started', subject: '', done: 0, total: 0 };
  const share = total > 0 ? Math.min(1, done / total) : null;
  return (
    <div class="task">
      <div class="row">
        <span role="status">
          {t(TASK[stage as keyof typeof TASK])} <PlainText text={subject} />
          {total > 0 && ` ${t(TASK.count, { done, total })}`}
        </span>
        <button type="button" class="button quiet small" onClick={task.stop}>
          {t(TASK.stop)}
        </button>
      </div>
      <progress max={1} {...(share !== null && { value: share })} aria-label={t(TASK.progress)} />
    </div>
  );
}
