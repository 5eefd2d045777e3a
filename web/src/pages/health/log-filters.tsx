import type { JSX } from 'preact';
import { Chip, FilterGroup } from '../../parts/chips.tsx';
import { TimeSpan, TypedField } from '../../parts/filters.tsx';
import { href, navigate } from '../../router.tsx';
import { AUDIT } from '../../text/pages/audit.ts';
import { FILTERS } from '../../text/shell.ts';
import { t } from '../../text/text.ts';

/** The filters of the log, as the address has them. */
export interface AuditFilters {
  readonly actor?: string;
  readonly action?: string;
  readonly surface?: string;
  /** Days: `2026-11-26`. */
  readonly from?: string;
  readonly until?: string;
  readonly record?: string;
  readonly session?: string;
}

/** The address of the log. */
export const LOG = '/health/log';

const NAMES = ['actor', 'action', 'surface', 'from', 'until', 'record', 'session'] as const;
const SURFACES = ['cli', 'web', 'mcp', 'rest', 'openclaw', 'library'] as const;
const ACTIONS = [
  'write',
  'update',
  'delete',
  'undelete',
  'store',
  'forget',
  'expire',
  'purge',
  'import',
] as const;

export function filtersOf(query: URLSearchParams): AuditFilters {
  const given = NAMES.flatMap((name) => {
    const value = query.get(name) ?? '';
    return value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as AuditFilters;
}

/** Shows the log with these filters; empty ones are none. */
export function show(filters: AuditFilters): void {
  navigate(href(LOG, { ...filters }), { replace: true });
}

/** The words for an action or a surface, if it has some. */
export function wordFor(name: string): string {
  return Object.hasOwn(AUDIT, name) ? t(AUDIT[name as keyof typeof AUDIT]) : name;
}

/** Chips for what the log can be filtered by. */
export function Filters({ filters }: { readonly filters: AuditFilters }): JSX.Element {
  const { actor, record, session } = filters;
  return (
    <form
      class="audit-filters tight"
      aria-label={t(AUDIT.filters)}
      onSubmit={(event) => event.preventDefault()}
    >
      <FilterGroup title={t(FILTERS.time)}>
        <TimeSpan
          from={filters.from ?? ''}
          until={filters.until ?? ''}
          onChange={(days) => show({ ...filters, ...days })}
        />
      </FilterGroup>
      <Choices filters={filters} name="surface" choices={SURFACES} />
      <Choices filters={filters} name="action" choices={ACTIONS} />
      <FilterGroup title={t(AUDIT.record)}>
        <TypedField
          isNumber
          class="record-field"
          label={t(AUDIT.recordNumber)}
          placeholder="12"
          value={record ?? ''}
          onTyped={(number) => show({ ...filters, record: number })}
        />
        {actor !== undefined && (
          <Chip
            name={t(AUDIT.onlyActor, { who: actor })}
            isRemoved
            onClick={() => show({ ...filters, actor: '' })}
          />
        )}
        {session !== undefined && (
          <Chip
            name={t(AUDIT.sessionName, { name: session })}
            isRemoved
            onClick={() => show({ ...filters, session: '' })}
          />
        )}
        {Object.keys(filters).length > 0 && (
          <button type="button" class="button quiet small" onClick={() => show({})}>
            {t(AUDIT.clear)}
          </button>
        )}
      </FilterGroup>
    </form>
  );
}

interface ChoicesProps {
  readonly filters: AuditFilters;
  readonly name: 'surface' | 'action';
  readonly choices: readonly string[];
}

function Choices({ filters, name, choices }: ChoicesProps): JSX.Element {
  const chosen = filters[name];
  const all = chosen === undefined || choices.includes(chosen) ? choices : [...choices, chosen];
  return (
    <FilterGroup title={t(AUDIT[name])}>
      <Chip
        name={t(FILTERS.any)}
        isOn={chosen === undefined}
        onClick={() => show({ ...filters, [name]: '' })}
      />
      {all.map((each) => (
        <Chip
          key={each}
          name={wordFor(each)}
          isOn={each === chosen}
          onClick={() => show({ ...filters, [name]: each })}
        />
      ))}
    </FilterGroup>
  );
}
