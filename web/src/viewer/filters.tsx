import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Chip, ValueChips } from '../parts/chips.tsx';
import { GRAPH } from '../text/pages/graph.ts';
import { t, type Text } from '../text/text.ts';
import { FILTERS } from '../text/shell.ts';
import type { Explored, Facets } from './explored.ts';

interface FiltersProps {
  readonly facets: Facets;
  readonly explored: Explored;
  readonly onChange: (change: Partial<Explored>) => void;
  readonly children: ComponentChildren;
}

type ListField = 'projects' | 'types' | 'tags' | 'edges';

const FIELDS: readonly (readonly [ListField, Text])[] = [
  ['projects', FILTERS.project],
  ['types', FILTERS.type],
  ['edges', GRAPH.edgeTypes],
  ['tags', FILTERS.tag],
];
/** A field for the title, and what else can be chosen: shown when the reader asks for it, apart from what is chosen. */
export function Filters({ facets, explored, onChange, children }: FiltersProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const chosen = FIELDS.flatMap(([field]) => explored[field].map((value) => ({ field, value })));
  const toggle = (field: ListField, value: string): void => {
    const others = explored[field].filter((each) => each !== value);
    onChange({ [field]: others.length < explored[field].length ? others : [...others, value] });
  };
  return (
    <div class="graph-filters list" role="search" aria-label={t(GRAPH.filters)}>
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
          <ValueChips
            key={field}
            title={t(name)}
            values={facets[field]}
            chosen={explored[field]}
            nameOf={(value) => nameOf(field, value)}
            onToggle={(value) => toggle(field, value)}
          />
        ))}
      {chosen.length > 0 && (
        <div class="chips">
          {!isOpen &&
            chosen.map(({ field, value }) => (
              <Chip
                key={`${field} ${value}`}
                name={nameOf(field, value)}
                isRemoved
                onClick={() => toggle(field, value)}
              />
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

function nameOf(field: ListField, value: string): string {
  if (field === 'types' || field === 'edges') return typeName(value);
  return field === 'tags' ? `#${value}` : value;
}

/** The name of a type of nodes or edges, or of a change. */
export function typeName(type: string): string {
  return type in GRAPH ? t(GRAPH[type as keyof typeof GRAPH]) : type;
}
