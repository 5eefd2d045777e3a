import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { asApiError } from '../api/use-request.ts';
import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { ErrorText } from './plain-text.tsx';

interface EditFormProps {
  /** Whether it writes something new, and not in the place of what it changes. */
  readonly isNew?: boolean;
  /** What the button says that saves. */
  readonly button?: string;
  readonly onSave: () => Promise<void>;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** Writes something. Escape cancels it, Ctrl-Enter saves, and it says why something could not be saved. */
export function EditForm(props: EditFormProps): JSX.Element {
  const { isNew = false, button = t(SHELL.save), onSave, onCancel, children } = props;
  const [error, setError] = useState<ApiError>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>(isNew ? 'input' : 'textarea')?.focus();
  }, []);
  return (
    <form
      ref={form}
      class={isNew ? 'card stack new-form' : 'stack'}
      onSubmit={(event) => {
        event.preventDefault();
        onSave().catch((failure: unknown) => setError(asApiError(failure)));
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
      }}
    >
      {children}
      {error !== undefined && (
        <div class="form-error" role="alert">
          <ErrorText error={error} />
        </div>
      )}
      <div class="row">
        <button type="submit" class="button primary">
          {button}
        </button>
        <button type="button" class="button quiet" onClick={onCancel}>
          {t(SHELL.cancel)}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
  /** Values that are suggested. */
  readonly suggested?: readonly string[];
}

/** A text of one line, with its label. */
export function TextField({ label, onChange, suggested, ...rest }: FieldProps): JSX.Element {
  return (
    <label class="field">
      {label}
      <input
        type="text"
        class="input"
        {...rest}
        {...(suggested !== undefined && { list: 'suggested' })}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {suggested !== undefined && (
        <datalist id="suggested">
          {suggested.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface TextAreaProps extends Pick<FieldProps, 'label' | 'value' | 'onChange'> {
  readonly rows: number;
}

/** A text of several lines that may not be empty, with its label. */
export function TextArea({ label, onChange, ...rest }: TextAreaProps): JSX.Element {
  return (
    <label class="field">
      {label}
      <textarea
        class="input"
        required
        {...rest}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

interface SelectFieldProps extends Pick<FieldProps, 'label' | 'value' | 'onChange'> {
  /** The values, each with its name. */
  readonly options: readonly (readonly [value: string, name: string])[];
}

/** One of several values, with its label. */
export function SelectField({ label, value, options, onChange }: SelectFieldProps): JSX.Element {
  return (
    <label class="field">
      {label}
      <select class="input" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Checkbox({ label, onChange, ...rest }: CheckboxProps): JSX.Element {
  return (
    <label class="choice">
      <input type="checkbox" {...rest} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}

/** Tags that are separated by commas, with or without a number sign. */
export function splitTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim().replace(/^#/, ''))
    .filter((tag) => tag !== '');
}
