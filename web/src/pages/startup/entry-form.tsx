import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Input } from '../../api/client.ts';
import { Checkbox, EditForm, TextArea, TextField } from '../../parts/form.tsx';
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
  const name = { key: key.trim(), ...(forAgent.trim() !== '' && { agent: forAgent.trim() }) };
  useEffect(
    () => onDraft(name.key === '' ? undefined : { ...name, content, priority }),
    [name.key, name.agent, content, priority],
  );
  return (
    <EditForm
      isNew={entry === undefined}
      onSave={() => onSave({ ...name, content, priority, reinforce })}
      onCancel={onCancel}
    >
      {entry === undefined && (
        <div class="form-fields">
          <TextField
            label={t(STARTUP.key)}
            value={key}
            required
            maxLength={512}
            placeholder={t(STARTUP.keyHint)}
            onChange={setKey}
          />
          <TextField label={t(STARTUP.forAgent)} value={forAgent} maxLength={128} onChange={setForAgent} />
        </div>
      )}
      <TextArea
        label={t(STARTUP.text)}
        rows={Math.min(16, Math.max(4, content.split('\n').length + 1))}
        value={content}
        onChange={setContent}
      />
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
        <Checkbox label={t(STARTUP.reinforce)} checked={reinforce} onChange={setReinforce} />
      </div>
    </EditForm>
  );
}
