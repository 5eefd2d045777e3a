import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError, Input } from '../../api/client.ts';
import { asApiError } from '../../api/use-request.ts';
import { FACTS } from '../../text/pages/facts.ts';
import { counted, t } from '../../text/text.ts';
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
  const [error, setError] = useState<ApiError>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>(fact === undefined ? 'input' : 'textarea')?.focus();
  }, []);
  const save = (): void => {
    onSave({
      ...{ key: key.trim(), value, expires: `${String(days)}d` },
      tags: tags
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
      ...(category.trim() !== '' && { category: category.trim() }),
    }).catch((failure: unknown) => setError(asApiError(failure)));
  };
  return (
    <form
      ref={form}
      class={fact === undefined ? 'card stack fact-form' : 'stack'}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
      }}
    >
      {fact === undefined && (
        <div class="form-fields">
          <label class="field">
            {t(FACTS.key)}
            <input
              class="input"
              value={key}
              required
              maxLength={512}
              placeholder={t(FACTS.keyHint)}
              onInput={({ currentTarget }) => setKey(currentTarget.value)}
            />
          </label>
          <label class="field">
            {t(FACTS.category)}
            <input
              class="input"
              value={category}
              list="fact-categories"
              placeholder="user_facts"
              onInput={({ currentTarget }) => setCategory(currentTarget.value)}
            />
            <datalist id="fact-categories">
              {categories.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
        </div>
      )}
      <label class="field">
        {t(FACTS.value)}
        <textarea
          class="input"
          rows={Math.min(12, Math.max(2, value.split('\n').length))}
          value={value}
          required
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
        />
      </label>
      <div class="form-fields">
        <label class="field">
          {t(FACTS.tags)}
          <input class="input" value={tags} onInput={({ currentTarget }) => setTags(currentTarget.value)} />
        </label>
        <label class="field">
          {t(FACTS.lifetime)}
          <select
            class="input"
            value={String(days)}
            onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
          >
            {LIFETIMES.map((each) => (
              <option key={each} value={String(each)}>
                {counted(FACTS.days, each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {fact === undefined && <p class="quiet-text">{t(FACTS.replaces)}</p>}
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error.message} {error.hint}
        </p>
      )}
      <div class="row">
        <button type="submit" class="button primary">
          {t(FACTS.save)}
        </button>
        <button type="button" class="button quiet" onClick={onCancel}>
          {t(FACTS.cancel)}
        </button>
      </div>
    </form>
  );
}
