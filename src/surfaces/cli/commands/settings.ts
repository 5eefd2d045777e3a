import type { Json } from '../../../core/types.ts';
import type {
  ConfigGetOutput,
  ConfigSetOutput,
  InitOutput,
  MigrateStoreOutput,
  ConfigShowOutput,
} from '../../../operations/nouns/settings.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { padEnd, textWidth } from '../format/text-width.ts';
import type { OperationCommand } from './operation-command.ts';

export const init: OperationCommand<InitOutput> = {
  warnings: ({ notes }) => notes,
  render: ({ created, vault, vaults, home, config_file, store }) => {
    const line = (what: 'home' | 'config' | 'store', path: string) =>
      `  ${what.padEnd(8)}${oneLine(path)}${created.includes(what) ? '' : '  (existed already)'}`;
    return [
      created.length === 0 ? 'Everything exists already; nothing was changed.' : 'Loci is ready.',
      line('home', home),
      line('config', config_file),
      line('store', store),
      ...(vault === null ? [] : [`  vault   ${oneLine(vault.name)}: ${oneLine(vault.path)}`]),
      `Next: ${vaults.length === 0 ? 'loci index ~/your-notes' : 'loci index'}`,
      '',
    ].join('\n');
  },
};

/** Wider values do not widen the column. */
const MAX_VALUE_COLUMNS = 40;

export const configShow: OperationCommand<ConfigShowOutput> = {
  render: ({ file, settings }, { style }) => {
    const rows = settings.map(({ key, value, origin }) => ({ key, values: valueLines(value), origin }));
    const keyColumns = Math.max(...rows.map(({ key }) => key.length));
    const widths = rows.flatMap(({ values }) => values.map(textWidth));
    const valueColumns = Math.max(0, ...widths.filter((width) => width <= MAX_VALUE_COLUMNS));
    const lines = rows.flatMap(({ key, values, origin }) => {
      const from = origin === 'default' ? style.dim(origin) : style.bold(escapeControl(origin));
      const [first = '', ...rest] = values;
      // If the value is too wide for its column, the origin gets a line of its own.
      const column = textWidth(first) <= valueColumns ? [first, ...rest] : ['', first, ...rest];
      return column.map((value, i) =>
        `${padEnd(i === 0 ? key : '', keyColumns)}  ${padEnd(value, valueColumns)}  ${i === 0 ? from : ''}`.trimEnd(),
      );
    });
    return `${style.dim(escapeControl(file))}\n${lines.join('\n')}\n`;
  },
};

/** A list takes a line for each entry. */
function valueLines(value: Json): string[] {
  if (value === null) return ['not set'];
  if (!Array.isArray(value)) return [valueText(value)];
  return value.length === 0 ? ['none'] : value.map(valueText);
}

export const migrateStore: OperationCommand<MigrateStoreOutput> = {
  render: ({ from, to, namespaces }) => {
    const lines = namespaces.map(
      ({ namespace, records, passages, vectors, rows }) =>
        `  ${oneLine(namespace)}: ${String(records)} records, ${String(passages)} passages, ${String(vectors)} vectors; ${String(rows)} rows are equal`,
    );
    const next = to.startsWith('postgres:')
      ? 'Set LOCI_STORE_CONNECTION_STRING, or store.connectionString in loci.yaml, to use the copy.'
      : `Set store.path in loci.yaml${from.startsWith('postgres:') ? ', and remove the connection string,' : ''} to use the copy.`;
    return [`${oneLine(from)} was copied to ${oneLine(to)}.`, ...lines, next, ''].join('\n');
  },
};

/** Prints the value alone, for scripts. */
export const configGet: OperationCommand<ConfigGetOutput> = {
  operands: [{ field: 'key', label: 'key', takes: 'one' }],
  render: ({ value }) => `${valueText(value)}\n`,
};

export const configSet: OperationCommand<ConfigSetOutput> = {
  operands: [
    { field: 'key', label: 'key', takes: 'one' },
    { field: 'value', label: 'value', takes: 'one' },
  ],
  warnings: ({ key, file, in_clear: inClear, overridden_by }) => [
    ...(overridden_by === null ? [] : [`${overridden_by} is set in this shell and overrides the new ${key}`]),
    ...(inClear
      ? [
          `the key is in ${escapeControl(file)} in the clear now; \`loci config set ${key} env:NAME\` keeps it in the variable NAME instead`,
        ]
      : []),
  ],
  render: ({ key, value, file }) => `Set ${key} to ${valueText(value)} in ${escapeControl(file)}.\n`,
};

function valueText(value: Json): string {
  return escapeControl(typeof value === 'string' ? value : JSON.stringify(value));
}
