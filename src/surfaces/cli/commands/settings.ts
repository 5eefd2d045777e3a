import type { Json } from '../../../core/types.ts';
import type {
  ConfigGetOutput,
  ConfigSetOutput,
  InitOutput,
  MigrateStoreOutput,
  ConfigShowOutput,
} from '../../../operations/nouns/settings.ts';
import { shellWord } from '../../../core/text/split-command.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { tables } from '../format/output-text.ts';
import type { OperationCommand } from './operation-command.ts';

export const init: OperationCommand<InitOutput> = {
  warnings: ({ notes }) => notes,
  render: ({ created, vault, vaults, home, config_file, store, shadowdb }) => {
    const line = (what: 'home' | 'config' | 'store', path: string) =>
      `  ${what.padEnd(8)}${oneLine(path)}${created.includes(what) ? '' : '  (existed already)'}`;
    return [
      created.length === 0 ? 'Everything exists already; nothing was changed.' : 'Loci is ready.',
      line('home', home),
      line('config', config_file),
      line('store', store),
      ...(vault === null ? [] : [`  vault   ${oneLine(vault.name)}: ${oneLine(vault.path)}`]),
      ...(shadowdb === null
        ? []
        : [
            `Next: loci import --table ${shellWord(oneLine(shadowdb))}  (copies the memories of ShadowDB, which stay as they are)`,
          ]),
      `Next: ${vaults.length === 0 ? 'loci index ~/your-notes' : 'loci index'}`,
      '',
    ].join('\n');
  },
};

export const configShow: OperationCommand<ConfigShowOutput> = {
  render: ({ file, settings }, view) => {
    const shown = settings.map(({ value, ...each }) => ({
      ...each,
      value: value === null ? 'not set' : valueText(value),
    }));
    return tables({ settings: 'key origin value' }, '', 'file')({ file, settings: shown }, view);
  },
};

export const migrateStore: OperationCommand<MigrateStoreOutput> = {
  render: ({ from, to, namespaces }, view) => {
    const next = to.startsWith('postgres:')
      ? 'Set LOCI_STORE_CONNECTION_STRING, or store.connectionString in loci.yaml, to use the copy.'
      : `Set store.path in loci.yaml${from.startsWith('postgres:') ? ', and remove the connection string,' : ''} to use the copy.`;
    const copied = tables({ namespaces: 'namespace records passages vectors rows' })({ namespaces }, view);
    return `${copied}${oneLine(from)} was copied to ${oneLine(to)}, and all rows are equal.\n${next}\n`;
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
