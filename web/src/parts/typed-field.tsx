import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface TypedFieldProps extends Omit<JSX.InputHTMLAttributes, 'value' | 'onInput' | 'onChange'> {
  readonly value: string;
  /** Called with what was typed, without spaces around it, when Enter is pressed or the field is left. */
  readonly onTyped: (value: string) => void;
}

/**
 * A field whose value takes effect once it is complete. It keeps what is typed until then: a plain field would be reset to `value`
 * whenever its page is drawn again.
 */
export function TypedField({ value, onTyped, ...attributes }: TypedFieldProps): JSX.Element {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      {...attributes}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => {
        const complete = currentTarget.value.trim();
        setTyped(complete);
        onTyped(complete);
      }}
    />
  );
}
