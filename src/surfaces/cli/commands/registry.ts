import { outputText } from '../format/output-text.ts';
import type { CommandSyntax, OperationCommand } from './operation-command.ts';

/**
 * The operations whose commands each file exports, under their names in camel case. A file is imported when one of its commands runs:
 * loading all of them would take longer than many commands.
 */
const FILES: readonly (readonly [operations: string, load: () => Promise<object>])[] = [
  ['init config-show config-get config-set migrate-store', () => import('./settings.ts')],
  ['index reindex', () => import('./vaults.ts')],
  ['search', () => import('./records/search.ts')],
  ['pack', () => import('./packs.ts')],
  ['get list timeline', () => import('./records/read.ts')],
  [
    'record-show record-links record-image record-table record-histogram record-facets',
    () => import('./records/browse.ts'),
  ],
  ['write update delete undelete', () => import('./records/changes.ts')],
  ['fact-store fact-recall fact-list fact-forget fact-categories corpus', () => import('./facts.ts')],
  ['inbox-list inbox-keep inbox-undo', () => import('./inbox.ts')],
  ['startup-list startup-set startup-remove startup-preview startup-inject', () => import('./startup.ts')],
  ['sources-list sources-show sources-excluded', () => import('./sources/list.ts')],
  [
    'sources-approve sources-test sources-refresh sources-pause sources-resume sources-remove',
    () => import('./sources/changes.ts'),
  ],
  [
    'graph-status graph-show graph-path graph-map graph-export graph-diff graph-view graph-concepts graph-conflicts',
    () => import('./graph.ts'),
  ],
  ['graph-index graph-pack', () => import('./packs.ts')],
  [
    'receipt-list receipt-show receipt-verify receipt-mark token-create token-list token-revoke golden delete-namespace set-quota',
    () => import('./lists.ts'),
  ],
  ['audit', () => import('./audit.ts')],
  ['status', () => import('./status.ts')],
  ['doctor', () => import('./doctor.ts')],
  ['embed-test embed-backfill', () => import('./embedding.ts')],
  ['import export', () => import('./portable.ts')],
];

/** Commands whose exports have other names: a reserved word is none, and two operations have the same output. */
const EXPORTS: Readonly<Record<string, string>> = {
  delete: 'deleteRecord',
  'sources-resume': 'sourcesPause',
  import: 'importMemory',
  export: 'exportMemory',
};

const NO_SYNTAX: CommandSyntax = {
  operands: [],
  shortOptions: {},
  aliases: {},
  commaLists: [],
  negatable: [],
  inputOnly: [],
  viewOptions: [],
};

/** The command of an operation. One that no file exports takes its input as options; without `render`, its output is printed as names, values and tables. */
export async function loadCommand(operation: string): Promise<OperationCommand<unknown> & CommandSyntax> {
  const file = FILES.find(([operations]) => operations.split(' ').includes(operation));
  const name =
    EXPORTS[operation] ?? operation.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const exported = (await file?.[1]()) as
    Readonly<Record<string, Partial<OperationCommand<unknown>>>> | undefined;
  return { ...NO_SYNTAX, render: (output, view) => outputText(output as object, view), ...exported?.[name] };
}
