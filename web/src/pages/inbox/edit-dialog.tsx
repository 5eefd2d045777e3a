import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/states.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { t } from '../../text/text.ts';
import type { Change, Edited } from './actions.ts';

interface EditDialogProps {
  readonly item: Change;
  /** Why it could not be saved. */
  readonly problem: string | undefined;
  readonly onSave: (edited: Edited) => void;
  readonly onClose: () => void;
}

/** The whole text of a record, to write something else in its place. */
export function EditDialog({ item, problem, onSave, onClose }: EditDialogProps): JSX.Element {
  const request = useRequest(async (signal): Promise<Edited> => {
    const citation = `record/${String(item.record)}`;
    const record = await call('/api/v1/memory/get', { citation }, { signal });
    return { title: record.title, text: record.text, tags: record.tags, replaces: record.updated_at };
  }, item.id);
  const name = t(INBOX.editTitle, {
    name: item.title === '' ? t(INBOX.record, { id: item.record ?? 0 }) : item.title,
  });
  return (
    <Dialog title={name} onClose={onClose}>
      <Loaded request={request}>
        {(edited) => (
          <Form edited={edited} hasTitle={item.origin !== 'fact'} onSave={onSave} onClose={onClose} />
        )}
      </Loaded>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

interface FormProps {
  readonly edited: Edited;
  /** The title of a fact is its key. */
  readonly hasTitle: boolean;
  readonly onSave: (edited: Edited) => void;
  readonly onClose: () => void;
}

function Form({ edited, hasTitle, onSave, onClose }: FormProps): JSX.Element {
  const [title, setTitle] = useState(edited.title);
  const [text, setText] = useState(edited.text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ ...edited, title, text });
      }}
    >
      {hasTitle && (
        <label class="field">
          {t(INBOX.titleLabel)}
          <input class="input" value={title} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />
        </label>
      )}
      <label class="field">
        {t(INBOX.textLabel)}
        <textarea
          ref={field}
          class="input"
          rows={12}
          required
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="row end">
        <button type="button" class="button" onClick={onClose}>
          {t(INBOX.cancel)}
        </button>
        <button type="submit" class="button primary">
          {t(INBOX.save)}
        </button>
      </div>
    </form>
  );
}
