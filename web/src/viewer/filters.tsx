import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PlainText } from '../parts/plain-text.tsx';
import { GRAPH } from '../text/pages/graph.ts';
import { counted, formatNumber, t, type Text } from '../text/text.ts';
import type { Explored, Facet, Facets } from './explored.ts';

interface FiltersProps {
  readonly facets: Facets;
  readonly explored: Explored;
  readonly onChange: (change: Partial<Explored>) => void;
  readonly children: ComponentChildren;
}

type ListField = 'projects' | 'types' | 'tags' | 'edges';

const FIELDS: readonly (readonly [ListField, Text])[] = [
  ['projects', GRAPH.projects],
  ['types', GRAPH.types],
  ['edges', GRAPH.edgeTypes],
  ['tags', GRAPH.tags],
];
/** Chips that are shown before the reader asks for more. */
const FEW = 8;

/** A field for the title, and what else can be chosen: shown when the reader asks for it, apart from what is chosen. */
export function Filters({ facets, explored, onChange, children }: FiltersProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const chosen = FIELDS.flatMap(([field]) => explored[field].map((value) => ({ field, value })));
  const without = (field: ListField, value: string): void =>
    onChange({ [field]: explored[field].filter((each) => each !== value) });
  return (
    <div class="graph-filters" role="search" aria-label={t(GRAPH.filters)}>
      <div class="row">
        <input
          type="search"
          class="input"
          value={explored.search}
          placeholder={t(GRAPH.find)}
          aria-label={t(GRAPH.find)}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange({ search: currentTarget.value })}
        />
        <button type="button" class="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t(GRAPH.filters)}
          <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
        </button>
        {children}
      </div>
      {isOpen &&
        FIELDS.map(([field, name]) => (
          <Chips
            key={field}
            field={field}
            name={name}
            values={facets[field]}
            explored={explored}
            onChange={onChange}
          />
        ))}
      {chosen.length > 0 && (
        <div class="chips">
          {!isOpen &&
            chosen.map(({ field, value }) => (
              <button
                key={`${field} ${value}`}
                type="button"
                class="chip"
                aria-pressed
                onClick={() => without(field, value)}
              >
                <ValueName field={field} value={value} />
                <span aria-hidden="true">×</span>
              </button>
            ))}
          <button
            type="button"
            class="button quiet small"
            onClick={() => onChange({ projects: [], types: [], tags: [], edges: [] })}
          >
            {t(GRAPH.clear)}
          </button>
        </div>
      )}
    </div>
  );
}

interface ChipsProps extends Omit<FiltersProps, 'facets' | 'children'> {
  readonly field: ListField;
  readonly name: Text;
  readonly values: readonly Facet[];
}

function Chips({ field, name, values, explored, onChange }: ChipsProps): JSX.Element | null {
  const [showsAll, setShowsAll] = useState(false);
  const chosen = explored[field];
  // A single project is no choice.
  if (values.length < 2 && chosen.length === 0) return null;
  const missing = chosen.filter((each) => values.every(({ value }) => value !== each));
  const all = [...values, ...missing.map((value) => ({ value, count: 0 }))];
  const shown = all.filter(({ value }, i) => showsAll || i < FEW || chosen.includes(value));
  const hidden = all.length - shown.length;
  return (
    <fieldset class="graph-facet">
      <legend>{t(name)}</legend>
      <div class="chips">
        {shown.map(({ value, count }) => (
          <button
            key={value}
            type="button"
            class="chip"
            aria-pressed={chosen.includes(value)}
            onClick={() =>
              onChange({
                [field]: chosen.includes(value)
                  ? chosen.filter((each) => each !== value)
                  : [...chosen, value],
              })
            }
          >
            <ValueName field={field} value={value} />
            <span class="count">{formatNumber(count)}</span>
          </button>
        ))}
        {(hidden > 0 || showsAll) && all.length > FEW && (
          <button
            type="button"
            class="button quiet small"
            aria-expanded={showsAll}
            onClick={() => setShowsAll(!showsAll)}
          >
            {showsAll ? t(GRAPH.fewerValues) : counted(GRAPH.moreValues, hidden)}
          </button>
        )}
      </div>
    </fieldset>
  );
}

function ValueName({ field, value }: { readonly field: ListField; readonly value: string }): JSX.Element {
  if (field === 'types' || field === 'edges') return <>{typeName(value)}</>;
  return (
    <span class="graph-value">
      {field === 'tags' && '#'}
      <PlainText text={value} />
    </span>
  );
}

/** The name of a type of nodes or edges, or of a change. */
export function typeName(type: string): string {
  return type in GRAPH ? t(GRAPH[type as keyof typeof GRAPH]) : type;
}
