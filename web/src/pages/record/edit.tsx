import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, call } from '../../api/client.ts';
import { asApiError } from '../../api/use-request.ts';
import { splitTags, TextArea, TextField } from '../../parts/form.tsx';
import { notify } from '../../parts/toasts.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { SHELL } from '../../text/shell.ts';
import { t } from '../../text/text.ts';
import type { ShownRecord } from './markdown-view.tsx';

interface EditProps {
  readonly record: ShownRecord;
  /** Called when the record was changed, or not. */
  readonly onClose: () => void;
  /** Reads the record again. */
  readonly onChange: () => void;
}

/** Changes a written record. What somebody else changed meanwhile is not overwritten unless the reader says so. */
export function Edit({ record, onClose, onChange }: EditProps): JSX.Element {
  // What the reader sees and changes; the record may be read again meanwhile.
  const [readAt] = useState(record.updated_at);
  const [title, setTitle] = useState(record.title);
  const [text, setText] = useState(record.text);
  const [tags, setTags] = useState(record.tags.join(', '));
  const [error, setError] = useState<ApiError>();
  const [saving, setSaving] = useState(false);
  const save = async (overwrite: boolean): Promise<void> => {
    setSaving(true);
    setError(undefined);
    try {
      const { masked } = await call('/api/v1/memory/update', {
        id: record.id,
        title,
        content: text,
        tags: splitTags(tags),
        ...(!overwrite && { if_updated_at: readAt }),
      });
      notify(masked.length > 0 ? t(RECORD.savedMasked, { kinds: masked.join(', ') }) : t(RECORD.saved));
      onChange();
      onClose();
    } catch (failure) {
      setError(asApiError(failure));
    } finally {
      setSaving(false);
    }
  };
  return (
    <form
      class="stack edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <TextField label={t(SHELL.title)} value={title} onChange={setTitle} />
      <TextArea
        label={t(RECORD.textField)}
        rows={Math.min(30, text.split('\n').length + 3)}
        value={text}
        onChange={setText}
      />
      <TextField label={t(RECORD.tagsField)} value={tags} onChange={setTags} />
      {error !== undefined && (
        <div class="notice bad" role="alert">
          <p>{error.code === 'conflict' ? t(RECORD.conflict) : error.message}</p>
          {error.code === 'conflict' && (
            <div class="row">
              <button type="button" class="button small" onClick={() => void save(true)}>
                {t(RECORD.overwrite)}
              </button>
              <button
                type="button"
                class="button small"
                onClick={() => {
                  onChange();
                  onClose();
                }}
              >
                {t(RECORD.discard)}
              </button>
            </div>
          )}
        </div>
      )}
      <div class="row">
        <button type="submit" class="button primary" disabled={saving}>
          {t(SHELL.save)}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {t(SHELL.cancel)}
        </button>
      </div>
    </form>
  );
}
