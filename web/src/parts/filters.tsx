import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call, type Input, type Output } from '../api/client.ts';
import { useRequest } from '../api/use-request.ts';
import { href, navigate } from '../router.tsx';
import { FILTERS } from '../text/shell.ts';
import { dayOf, t, type Text } from '../text/text.ts';
import { Chip, FilterGroup, ValueChips } from './chips.tsx';
import { Loaded, Skeleton } from './states.tsx';

type Facets = Output<'/api/v1/record/facets'>['facets'];
type Facet = keyof Facets;

/** The parameter of the address of each facet, its name, and whether it may have several values. */
const PARAMETERS = {
  source: { name: FILTERS.source, several: true },
  project: { name: FILTERS.project, several: false },
  tag: { name: FILTERS.tag, several: true },
  record_type: { name: FILTERS.type, several: false },
  category: { name: FILTERS.category, several: false },
  trust: { name: FILTERS.trust, several: true },
} as const satisfies Partial<Record<Facet, { readonly name: Text; readonly several: boolean }>>;
type Parameter = keyof typeof PARAMETERS;
const NAMES = Object.keys(PARAMETERS) as Parameter[];

const TRUST: Readonly<Record<string, Text>> = {
  operator: FILTERS.operator,
  agent: FILTERS.agent,
  external: FILTERS.external,
};

/** The fields of a request that the filters in the address stand for. */
export interface Selection {
  readonly sources?: string[];
  readonly tags?: string[];
  readonly project?: string;
  readonly category?: string;
  readonly record_type?: string;
  readonly trust?: ('operator' | 'agent' | 'external')[];
  readonly from?: string;
  readonly until?: string;
}

/** Reads the filters of an address: `?source=vault&tag=home&from=2026-09-01`. */
export function selectionOf(query: URLSearchParams): Selection {
  const list = (name: Parameter): string[] => query.getAll(name);
  const [project, category, type] = [query.get('project'), query.get('category'), query.get('record_type')];
  const trust = list('trust').filter((value) => Object.hasOwn(TRUST, value)) as NonNullable<
    Selection['trust']
  >;
  const [from, until] = [query.get('from'), query.get('until')];
  return {
    ...(list('source').length > 0 && { sources: list('source') }),
    ...(list('tag').length > 0 && { tags: list('tag') }),
    ...(project !== null && { project }),
    ...(category !== null && { category }),
    ...(type !== null && { record_type: type }),
    ...(trust.length > 0 && { trust }),
    ...(from !== null && from !== '' && { from }),
    ...(until !== null && until !== '' && { until }),
  };
}

interface FiltersProps {
  /** The page: `/search`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The records whose values are counted. */
  readonly counted: Input<'/api/v1/record/facets'>;
  /** The facets that are offered; all unless given. */
  readonly offered?: readonly Parameter[];
  /** Whether there is a field for a folder, which stands in the address as `path`. */
  readonly hasFolder?: boolean;
}

/** Filters as chips: those that are set, and on demand those that there are, with the number of records that have them. */
export function Filters({
  path,
  query,
  counted: records,
  offered = NAMES,
  hasFolder = false,
}: FiltersProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const set = offered.flatMap((name) => query.getAll(name).map((value) => [name, value] as const));
  const folder = query.get('path') ?? '';
  const change = (name: string, values: readonly string[]): void => {
    const next = new URLSearchParams(query);
    next.delete(name);
    for (const value of values) next.append(name, value);
    // A page of a list belongs to its filters.
    for (const position of ['after', 'limit']) next.delete(position);
    navigate(`${href(path)}?${next.toString()}`);
  };
  const toggle = (name: Parameter, value: string): void => {
    const before = query.getAll(name);
    const others = before.filter((each) => each !== value);
    if (before.includes(value)) change(name, others);
    else change(name, PARAMETERS[name].several ? [...others, value] : [value]);
  };
  return (
    <div class="list">
      <div class="chips">
        {hasFolder && folder !== '' && (
          <Chip
            name={folder}
            isRemoved
            label={t(FILTERS.remove, { name: t(FILTERS.folder), value: folder })}
            onClick={() => change('path', [])}
          />
        )}
        {set.map(([name, value]) => (
          <Chip
            key={`${name} ${value}`}
            name={labelOf(name, value)}
            isRemoved
            label={t(FILTERS.remove, { name: t(PARAMETERS[name].name), value })}
            onClick={() => toggle(name, value)}
          />
        ))}
        <button type="button" class="chip" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(FILTERS.filter)}
        </button>
      </div>
      {isOpen && <Panel {...{ query, records, offered, hasFolder }} onToggle={toggle} onChange={change} />}
    </div>
  );
}

interface PanelProps {
  readonly query: URLSearchParams;
  readonly records: Input<'/api/v1/record/facets'>;
  readonly offered: readonly Parameter[];
  readonly hasFolder: boolean;
  readonly onToggle: (name: Parameter, value: string) => void;
  readonly onChange: (name: string, values: readonly string[]) => void;
}

/** How long to wait after a key of a query before values are counted, in milliseconds. */
const TYPING_MS = 250;

function Panel({ query, records, offered, hasFolder, onToggle, onChange }: PanelProps): JSX.Element {
  const request = useRequest(
    (signal) => call('/api/v1/record/facets', records, { signal }),
    records,
    TYPING_MS,
  );
  return (
    <div class="filter-panel card">
      <Loaded request={request} loading={<Skeleton lines={3} />}>
        {({ facets }) =>
          offered.map((name) => (
            <ValueChips
              key={name}
              title={t(PARAMETERS[name].name)}
              values={valuesOf(facets[name])}
              chosen={query.getAll(name)}
              nameOf={(value) => labelOf(name, value)}
              onToggle={(value) => onToggle(name, value)}
            />
          ))
        }
      </Loaded>
      {hasFolder && (
        <label class="field filter-group">
          {t(FILTERS.folder)}
          <TypedField
            value={query.get('path') ?? ''}
            onTyped={(path) => onChange('path', path === '' ? [] : [path])}
          />
        </label>
      )}
      <FilterGroup title={t(FILTERS.time)}>
        <DayFields
          from={query.get('from') ?? ''}
          until={query.get('until') ?? ''}
          onChange={(days) => {
            for (const [name, day] of Object.entries(days)) onChange(name, day === '' ? [] : [day]);
          }}
        />
      </FilterGroup>
    </div>
  );
}

/** A value that every record lacks, such as no project, is no filter. */
function valuesOf({ values }: Facets[Facet]): { readonly value: string; readonly count: number }[] {
  return values.flatMap(({ value, records }) => (value === '' ? [] : [{ value, count: records }]));
}

interface DaysProps {
  /** Days: `2026-11-26`; empty where the time is open. */
  readonly from: string;
  readonly until: string;
  readonly onChange: (days: Readonly<Record<string, string>>) => void;
}

const DAY_MS = 86_400_000;
/** Usual spans of time until now, in days. */
const SPANS = { any: null, today: 1, week: 7, month: 30, year: 365 } as const;

/** A span of time as chips, and as two fields. */
export function TimeSpan({ from, until, onChange }: DaysProps): JSX.Element {
  return (
    <>
      {(Object.keys(SPANS) as (keyof typeof SPANS)[]).map((name) => {
        const days = SPANS[name];
        const start = days === null ? '' : dayOf(new Date(Date.now() - (days - 1) * DAY_MS));
        return (
          <Chip
            key={name}
            name={t(FILTERS[name])}
            isOn={until === '' && from === start}
            onClick={() => onChange({ from: start, until: '' })}
          />
        );
      })}
      <DayFields {...{ from, until, onChange }} />
    </>
  );
}

function DayFields({ onChange, ...days }: DaysProps): JSX.Element {
  return (
    <>
      {(['from', 'until'] as const).map((name) => (
        <label key={name} class="field">
          {t(FILTERS[name])}
          <input
            type="date"
            class="input"
            value={days[name]}
            onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
          />
        </label>
      ))}
    </>
  );
}

function labelOf(name: Parameter, value: string): string {
  if (name === 'tag') return `#${value}`;
  const trust = name === 'trust' ? TRUST[value] : undefined;
  return trust === undefined ? value : t(trust);
}

interface TypedFieldProps {
  readonly value: string;
  /** Called with what was typed, without spaces around it, when Enter is pressed or the field is left. */
  readonly onTyped: (value: string) => void;
  /** Whether it takes numbers from 1 alone. */
  readonly isNumber?: boolean;
  readonly class?: string;
  readonly label?: string;
  readonly placeholder?: string;
}

/**
 * A field whose value takes effect once it is complete. It keeps what is typed until then: a plain field would be reset to `value`
 * whenever its page is drawn again.
 */
export function TypedField(props: TypedFieldProps): JSX.Element {
  const { value, onTyped } = props;
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      {...(props.isNumber === true && ({ type: 'number', min: 1 } as const))}
      class={`input ${props.class ?? ''}`}
      aria-label={props.label}
      placeholder={props.placeholder}
      autocomplete="off"
      spellcheck={false}
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
