import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Input } from '../../api/client.ts';
import { EditForm, SelectField, splitTags, TextArea, TextField } from '../../parts/form.tsx';
import { FACTS } from '../../text/pages/facts.ts';
import { counted, t } from '../../text/text.ts';
import { FILTERS } from '../../text/shell.ts';
import type { Fact } from './changes.ts';

/** For how many days a fact may be kept. */
export const LIFETIMES = [1, 7, 30, 90, 365] as const;
const DEFAULT_DAYS = 90;

const DAY_MS = 86_400_000;

/** The shortest lifetime that does not shorten a fact. */
function lifetimeLeft({ expires_at: expires }: Fact): number {
  const left = (Date.parse(expires) - Date.now()) / DAY_MS;
  return LIFETIMES.find((days) => days >= left) ?? LIFETIMES.at(-1)!;
}

interface FactFormProps {
  /** The fact that is changed; a new one without it. */
  readonly fact?: Fact;
  readonly categories: readonly string[];
  /** The category of a new fact. */
  readonly category: string;
  readonly onSave: (fields: Input<'/api/v1/memory/store'>) => Promise<void>;
  readonly onCancel: () => void;
}

/** Writes a fact in place. */
export function FactForm({
  fact,
  categories,
  category: given,
  onSave,
  onCancel,
}: FactFormProps): JSX.Element {
  const [key, setKey] = useState(fact?.key ?? '');
  const [value, setValue] = useState(fact?.value ?? '');
  const [category, setCategory] = useState(fact?.category ?? given);
  const [tags, setTags] = useState(fact?.tags.join(', ') ?? '');
  const [days, setDays] = useState(fact === undefined ? DEFAULT_DAYS : lifetimeLeft(fact));
  return (
    <EditForm
      isNew={fact === undefined}
      onSave={() =>
        onSave({
          ...{ key: key.trim(), value, tags: splitTags(tags), expires: `${String(days)}d` },
          ...(category.trim() !== '' && { category: category.trim() }),
        })
      }
      onCancel={onCancel}
    >
      {fact === undefined && (
        <div class="form-fields">
          <TextField
            label={t(FACTS.key)}
            value={key}
            required
            maxLength={512}
            placeholder={t(FACTS.keyHint)}
            onChange={setKey}
          />
          <TextField
            label={t(FILTERS.category)}
            value={category}
            placeholder="user_facts"
            suggested={categories}
            onChange={setCategory}
          />
        </div>
      )}
      <TextArea
        label={t(FACTS.value)}
        rows={Math.min(12, Math.max(2, value.split('\n').length))}
        value={value}
        onChange={setValue}
      />
      <div class="form-fields">
        <TextField label={t(FACTS.tags)} value={tags} onChange={setTags} />
        <SelectField
          label={t(FACTS.lifetime)}
          value={String(days)}
          options={LIFETIMES.map((each) => [String(each), counted(FACTS.days, each)])}
          onChange={(value) => setDays(Number(value))}
        />
      </div>
      {fact === undefined && <p class="quiet-text">{t(FACTS.replaces)}</p>}
    </EditForm>
  );
}
