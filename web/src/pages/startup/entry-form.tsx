import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError, Input } from '../../api/client.ts';
import { asApiError } from '../../api/use-request.ts';
import { STARTUP } from '../../text/pages/startup.ts';
import { t } from '../../text/text.ts';
import type { Draft, Entry } from './changes.ts';

interface EntryFormProps {
  /** The entry that is changed; a new one without it. */
  readonly entry?: Entry;
  /** The agent for whom a new entry is. */
  readonly agent?: string;
  /** Called with what is written, to compute its budget. */
  readonly onDraft: (draft: Draft | undefined) => void;
  readonly onSave: (fields: Input<'/api/v1/startup/set'>) => Promise<void>;
  readonly onCancel: () => void;
}

const PRIORITIES = Array.from({ length: 10 }, (_, i) => i);
const DEFAULT_PRIORITY = 2;

/** Writes an entry in place. The budget follows as one types. */
export function EntryForm({ entry, agent = '', onDraft, onSave, onCancel }: EntryFormProps): JSX.Element {
  const [key, setKey] = useState(entry?.key ?? '');
  const [forAgent, setForAgent] = useState(entry?.agent ?? agent);
  const [content, setContent] = useState(entry?.content ?? '');
  const [priority, setPriority] = useState(entry?.priority ?? DEFAULT_PRIORITY);
  const [reinforce, setReinforce] = useState(entry?.reinforce ?? false);
  const [error, setError] = useState<ApiError>();
  const form = useRef<HTMLFormElement>(null);
  const name = { key: key.trim(), ...(forAgent.trim() !== '' && { agent: forAgent.trim() }) };
  useEffect(() => {
    form.current?.querySelector<HTMLElement>(entry === undefined ? 'input' : 'textarea')?.focus();
  }, []);
  useEffect(
    () => onDraft(name.key === '' ? undefined : { ...name, content, priority }),
    [name.key, name.agent, content, priority],
  );
  return (
    <form
      ref={form}
      class={entry === undefined ? 'card stack entry-form new' : 'stack entry-form'}
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ ...name, content, priority, reinforce }).catch((failure: unknown) =>
          setError(asApiError(failure)),
        );
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
      }}
    >
      {entry === undefined && (
        <div class="form-fields">
          <label class="field">
            {t(STARTUP.key)}
            <input
              class="input"
              value={key}
              required
              maxLength={512}
              placeholder={t(STARTUP.keyHint)}
              onInput={({ currentTarget }) => setKey(currentTarget.value)}
            />
          </label>
          <label class="field">
            {t(STARTUP.forAgent)}
            <input
              class="input"
              value={forAgent}
              maxLength={128}
              onInput={({ currentTarget }) => setForAgent(currentTarget.value)}
            />
          </label>
        </div>
      )}
      <label class="field">
        {t(STARTUP.text)}
        <textarea
          class="input"
          rows={Math.min(16, Math.max(4, content.split('\n').length + 1))}
          value={content}
          required
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
      </label>
      <div class="row">
        <label class="row choice">
          {t(STARTUP.priorityField)}
          <select
            class="input priority"
            value={String(priority)}
            onChange={({ currentTarget }) => setPriority(Number(currentTarget.value))}
          >
            {PRIORITIES.map((each) => (
              <option key={each} value={String(each)}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={reinforce}
            onChange={({ currentTarget }) => setReinforce(currentTarget.checked)}
          />
          {t(STARTUP.reinforce)}
        </label>
      </div>
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error.message} {error.hint}
        </p>
      )}
      <div class="row">
        <button type="submit" class="button primary">
          {t(STARTUP.save)}
        </button>
        <button type="button" class="button quiet" onClick={onCancel}>
          {t(STARTUP.cancel)}
        </button>
      </div>
    </form>
  );
}
