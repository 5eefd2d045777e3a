import { toJson } from '../../shared/escape-control.ts';
import type { CommandSyntax, OperationCommand } from './operation-command.ts';

/**
 * The commands by the names of their operations. Each is imported when it runs: loading all of them would take longer than
 * many commands.
 */
/* eslint-disable @typescript-eslint/no-explicit-any -- each command renders the output of its own operation */
const COMMANDS: Readonly<Record<string, () => Promise<OperationCommand<any>>>> = {
  init: async () => (await import('./settings.ts')).init,
  index: async () => (await import('./vaults.ts')).index,
  search: async () => (await import('./records/search.ts')).search,
  pack: async () => (await import('./packs/packs.ts')).pack,
  get: async () => (await import('./records/get.ts')).get,
  list: async () => (await import('./records/list.ts')).list,
  timeline: async () => (await import('./records/timeline.ts')).timeline,
  write: async () => (await import('./records/changes.ts')).write,
  update: async () => (await import('./records/changes.ts')).update,
  delete: async () => (await import('./records/changes.ts')).deleteRecord,
  undelete: async () => (await import('./records/changes.ts')).undelete,
  'fact-store': async () => (await import('./facts.ts')).factStore,
  'fact-recall': async () => (await import('./facts.ts')).factRecall,
  'fact-list': async () => (await import('./facts.ts')).factList,
  'fact-forget': async () => (await import('./facts.ts')).factForget,
  'fact-categories': async () => (await import('./facts.ts')).factCategories,
  corpus: async () => (await import('./corpus.ts')).corpus,
  'receipt-list': async () => (await import('./packs/receipts.ts')).receiptList,
  'receipt-show': async () => (await import('./packs/receipts.ts')).receiptShow,
  'receipt-verify': async () => (await import('./packs/receipts.ts')).receiptVerify,
  'receipt-label': async () => (await import('./packs/receipts.ts')).receiptLabel,
  'startup-list': async () => (await import('./startup.ts')).startupList,
  'startup-set': async () => (await import('./startup.ts')).startupSet,
  'startup-remove': async () => (await import('./startup.ts')).startupRemove,
  'startup-preview': async () => (await import('./startup.ts')).startupPreview,
  'startup-inject': async () => (await import('./startup.ts')).startupInject,
  'sources-list': async () => (await import('./sources/list.ts')).sourcesList,
  'sources-show': async () => (await import('./sources/show.ts')).sourcesShow,
  'sources-approve': async () => (await import('./sources/changes.ts')).sourcesApprove,
  'sources-test': async () => (await import('./sources/test.ts')).sourcesTest,
  'sources-refresh': async () => (await import('./sources/refresh.ts')).sourcesRefresh,
  'sources-pause': async () => (await import('./sources/changes.ts')).sourcesPause,
  'sources-resume': async () => (await import('./sources/changes.ts')).sourcesPause,
  'sources-remove': async () => (await import('./sources/changes.ts')).sourcesRemove,
  'concept-list': async () => (await import('./graph/concepts.ts')).conceptList,
  'concept-show': async () => (await import('./graph/concepts.ts')).conceptShow,
  'concept-conflicts': async () => (await import('./graph/concepts.ts')).conceptConflicts,
  'concept-merge': async () => (await import('./graph/concepts.ts')).conceptMerge,
  'concept-split': async () => (await import('./graph/concepts.ts')).conceptSplit,
  'concept-rename': async () => (await import('./graph/concepts.ts')).conceptRename,
  'concept-undo': async () => (await import('./graph/concepts.ts')).conceptUndo,
  'concept-changes': async () => (await import('./graph/concepts.ts')).conceptChanges,
  'graph-status': async () => (await import('./graph/graph.ts')).graphStatus,
  'graph-index': async () => (await import('./packs/node-texts.ts')).graphIndex,
  'graph-pack': async () => (await import('./graph/graph.ts')).graphPack,
  'graph-show': async () => (await import('./graph/graph.ts')).graphShow,
  'graph-path': async () => (await import('./graph/graph.ts')).graphPath,
  'graph-export': async () => (await import('./graph/graph.ts')).graphExport,
  'golden-record': async () => (await import('./golden.ts')).goldenRecord,
  'golden-list': async () => (await import('./golden.ts')).goldenList,
  'golden-replay': async () => (await import('./golden.ts')).goldenReplay,
  'golden-diff': async () => (await import('./golden.ts')).goldenDiff,
  'golden-remove': async () => (await import('./golden.ts')).goldenRemove,
  'graph-diff': async () => (await import('./graph/graph.ts')).graphDiff,
  audit: async () => (await import('./audit.ts')).audit,
  status: async () => (await import('./status.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  reindex: async () => (await import('./vaults.ts')).reindex,
  'embed-test': async () => (await import('./embedding.ts')).embedTest,
  'embed-backfill': async () => (await import('./embedding.ts')).embedBackfill,
  'embed-compare': async () => (await import('./embedding.ts')).embedCompare,
  'embed-prune': async () => (await import('./embedding.ts')).embedPrune,
  'embed-switch': async () => (await import('./embedding.ts')).embedSwitch,
  import: async () => (await import('./import.ts')).importMemory,
  export: async () => (await import('./export.ts')).exportMemory,
  'forget-vault': async () => (await import('./vaults.ts')).forgetVault,
  'config-show': async () => (await import('./settings.ts')).configShow,
  'config-get': async () => (await import('./settings.ts')).configGet,
  'config-set': async () => (await import('./settings.ts')).configSet,
  'token-create': async () => (await import('./tokens.ts')).tokenCreate,
  'token-list': async () => (await import('./tokens.ts')).tokenList,
  'token-revoke': async () => (await import('./tokens.ts')).tokenRevoke,
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

/** The command of an operation. One that is not in the table takes its input as options and prints its output as JSON. */
export async function loadCommand(operation: string): Promise<OperationCommand<any> & CommandSyntax> {
  const load = Object.hasOwn(COMMANDS, operation) ? COMMANDS[operation] : undefined;
  const command = (await load?.()) ?? { render: (output: unknown) => `${toJson(output)}\n` };
  return { ...NO_SYNTAX, ...command };
}
