import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { callWithProgress } from '../api/progress.ts';
import { session } from '../api/session.ts';
import { asApiError } from '../api/use-request.ts';
import { FOLDER } from '../text/pages/search.ts';
import { counted, t } from '../text/text.ts';
import { TaskState, useTask } from './task.tsx';
import { notify } from './toasts.tsx';

/** Adds a folder of notes of this machine to the settings and reads it. On another machine, it says which command does that. */
export function AddFolder({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const task = useTask();
  const [path, setPath] = useState('');
  if (!session.namesFiles) return <code class="command">loci index ~/notes</code>;
  const read = (): void =>
    task.start(async (control) => {
      const { vaults, error } = await callWithProgress('/api/v1/index', { paths: [path.trim()] }, control);
      if (error !== undefined) throw asApiError(new Error(error.message));
      notify(counted(FOLDER.done, vaults[0]?.seen ?? 0, { path: vaults[0]?.path ?? path }));
      onDone();
    });
  return (
    <form
      class="stack add-folder"
      onSubmit={(event) => {
        event.preventDefault();
        read();
      }}
    >
      <label class="field">
        {t(FOLDER.path)}
        <input
          class="input"
          value={path}
          required
          placeholder="~/notes"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setPath(currentTarget.value)}
        />
      </label>
      <div class="row">
        <button type="submit" class="button primary" disabled={task.isRunning}>
          {t(FOLDER.add)}
        </button>
      </div>
      <TaskState task={task} />
    </form>
  );
}
