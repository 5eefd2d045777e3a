import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiPath, Input, Output } from '../../api/client.ts';
import { callWithProgress } from '../../api/progress.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { TaskState, useTask } from '../../parts/task.tsx';
import { notify } from '../../parts/toasts.tsx';
import { href, Link } from '../../router.tsx';
import { HEALTH } from '../../text/pages/health.ts';
import { t } from '../../text/text.ts';

type Repair = NonNullable<Output<'/api/v1/doctor'>['checks'][number]['repair']>;

/** What runs without a question: it loses nothing, and can be stopped. */
const AT_ONCE = {
  reindex: '/api/v1/reindex',
  'embed-backfill': '/api/v1/embed/backfill',
  'sources-refresh': '/api/v1/sources/refresh',
  'sources-resume': '/api/v1/sources/resume',
} as const satisfies Readonly<Record<string, ApiPath>>;

interface RepairButtonProps {
  readonly repair: Repair;
  readonly onDone: () => void;
}

/** A button that does what a finding advises, with what it does in words; a link for what must be looked at first. */
export function RepairButton({ repair, onDone }: RepairButtonProps): JSX.Element | null {
  const { operation, input } = repair;
  if (operation === 'sources-show')
    return (
      <Link class="button" to={href(`/sources/${encodeURIComponent(String(input['id']))}`)}>
        {t(HEALTH.lookAt)}
      </Link>
    );
  if (!Object.hasOwn(AT_ONCE, operation)) return null;
  const name = operation as keyof typeof AT_ONCE;
  return <ActionButton name={name} path={AT_ONCE[name]} input={input} onDone={onDone} />;
}

interface ActionProps<P extends ApiPath> {
  /** The key of its texts. */
  readonly name: keyof typeof AT_ONCE | 'reindexVectors';
  readonly path: P;
  readonly input: Input<P>;
  readonly onDone: () => void;
  /** Asks with this dialog first. */
  readonly ask?: { readonly title: string; readonly button: string };
}

/** Runs an operation, with its progress. */
export function ActionButton<P extends ApiPath>(props: ActionProps<P>): JSX.Element {
  const { name, path, input, onDone, ask } = props;
  const task = useTask();
  const [isAsking, setAsking] = useState(false);
  const run = (): void => {
    setAsking(false);
    task.start(async (control) => {
      const output: object = await callWithProgress(path, input, control);
      onDone();
      const failure = failureOf(output);
      if (failure !== null) throw new Error(failure);
      notify(t(HEALTH.done));
    });
  };
  return (
    <div class="action tight">
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={task.isRunning}
          onClick={() => (ask === undefined ? run() : setAsking(true))}
        >
          {t(HEALTH[name])}
        </button>
        <span class="quiet-text">{t(HEALTH[`${name} about`])}</span>
      </div>
      <TaskState task={task} />
      {isAsking && ask !== undefined && (
        <Confirm
          {...ask}
          text={t(HEALTH[`${name} about`])}
          onConfirm={run}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

/** A refresh of sources answers with the errors of each. */
function failureOf(output: object): string | null {
  const { sources } = output as { sources?: readonly { error?: { message: string } }[] };
  return sources?.find(({ error }) => error !== undefined)?.error?.message ?? null;
}
