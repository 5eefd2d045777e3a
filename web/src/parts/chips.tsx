import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FILTERS } from '../text/shell.ts';
import { counted, formatNumber, t } from '../text/text.ts';
import { PlainText } from './plain-text.tsx';

interface ChipProps {
  readonly name: string;
  readonly onClick: () => void;
  /** Whether it is chosen. */
  readonly isOn?: boolean;
  /** Whether it is chosen, and a click removes it. */
  readonly isRemoved?: boolean;
  /** What a click does, if the name does not say it. */
  readonly label?: string;
  /** How many there are. */
  readonly count?: number;
  readonly disabled?: boolean;
}

/** A value to filter by, or a way to look at something. */
export function Chip({
  name,
  onClick,
  isRemoved = false,
  isOn = isRemoved,
  label,
  count,
  disabled = false,
}: ChipProps): JSX.Element {
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isOn}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      <span class="chip-name">
        <PlainText text={name} />
      </span>
      {isRemoved && <span aria-hidden="true">×</span>}
      {count !== undefined && <span class="count">{formatNumber(count)}</span>}
    </button>
  );
}

/** Chips and fields of one kind. */
export function FilterGroup({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <fieldset class="filter-group">
      <legend>{title}</legend>
      <div class="chips">{children}</div>
    </fieldset>
  );
}

interface ValueChipsProps {
  readonly title: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly chosen: readonly string[];
  readonly nameOf: (value: string) => string;
  readonly onToggle: (value: string) => void;
}

/** Values that are shown before the reader asks for more. */
const FEW = 12;

/** The values of a field, with the number of what has each; nothing where they leave no choice. */
export function ValueChips({ title, values, chosen, nameOf, onToggle }: ValueChipsProps): JSX.Element | null {
  const [showsAll, setShowsAll] = useState(false);
  if (values.length < 2 && chosen.length === 0) return null;
  const missing = chosen.filter((each) => values.every(({ value }) => value !== each));
  const all = [...values, ...missing.map((value) => ({ value, count: 0 }))];
  const shown = all.filter(({ value }, i) => showsAll || i < FEW || chosen.includes(value));
  return (
    <FilterGroup title={title}>
      {shown.map(({ value, count }) => (
        <Chip
          key={value}
          name={nameOf(value)}
          count={count}
          isOn={chosen.includes(value)}
          onClick={() => onToggle(value)}
        />
      ))}
      {all.length > FEW && (shown.length < all.length || showsAll) && (
        <button
          type="button"
          class="button quiet small"
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
        >
          {showsAll ? t(FILTERS.fewer) : counted(FILTERS.more, all.length - shown.length)}
        </button>
      )}
    </FilterGroup>
  );
}
