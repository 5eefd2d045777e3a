import type { Operation } from './operation.ts';

/** An operation that is not loaded yet. */
export interface OperationEntry {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly load: () => Promise<Operation>;
}

/** Every operation, in the order in which a new user needs them. */
export const OPERATIONS: readonly OperationEntry[] = [
  {
    name: 'init',
    summary: 'make the home folder with a settings file and an empty store',
    load: async () => (await import('./settings/init.ts')).init,
  },
  {
    name: 'index',
    summary: 'read folders of notes, or what changed in them',
    load: async () => (await import('./vaults/index-vaults.ts')).indexVaults,
  },
  {
    name: 'search',
    summary: 'search everything that is remembered, by words and by meaning',
    load: async () => (await import('./records/search.ts')).search,
  },
  {
    name: 'pack',
    summary: 'put what is remembered about something into one text within a budget of tokens',
    load: async () => (await import('./packs/pack.ts')).pack,
  },
  {
    name: 'get',
    summary: 'read a record, or some of its lines, by citation',
    load: async () => (await import('./records/get.ts')).get,
  },
  {
    name: 'list',
    summary: 'list records, the last stored first',
    load: async () => (await import('./records/list.ts')).list,
  },
  {
    name: 'timeline',
    summary: 'show what came before and after a record or a moment',
    load: async () => (await import('./records/timeline.ts')).timeline,
  },
  {
    name: 'write',
    summary: 'remember something',
    load: async () => (await import('./records/write.ts')).write,
  },
  {
    name: 'update',
    summary: 'change a written record',
    load: async () => (await import('./records/update.ts')).update,
  },
  {
    name: 'delete',
    summary: 'delete a record; it can be restored',
    load: async () => (await import('./records/delete.ts')).deleteRecord,
  },
  {
    name: 'undelete',
    summary: 'restore a deleted record',
    load: async () => (await import('./records/undelete.ts')).undelete,
  },
  {
    name: 'fact-store',
    summary: 'store a value under a key until it expires',
    load: async () => (await import('./facts/store.ts')).storeFact,
  },
  {
    name: 'fact-recall',
    summary: 'read the fact of a key',
    load: async () => (await import('./facts/recall.ts')).recallFact,
  },
  {
    name: 'fact-list',
    summary: 'list facts',
    load: async () => (await import('./facts/list.ts')).listFacts,
  },
  {
    name: 'fact-forget',
    summary: 'forget facts by key, prefix or category',
    load: async () => (await import('./facts/forget.ts')).forgetFacts,
  },
  {
    name: 'fact-categories',
    summary: 'list the categories of facts',
    load: async () => (await import('./facts/categories.ts')).factCategories,
  },
  {
    name: 'corpus',
    summary: 'return facts and runs as documents for another memory',
    load: async () => (await import('./facts/corpus.ts')).corpus,
  },
  {
    name: 'receipt-list',
    summary: 'list what was given to agents',
    load: async () => (await import('./packs/receipt-list.ts')).receiptList,
  },
  {
    name: 'receipt-show',
    summary: 'show what an agent was given, from which records, and why',
    load: async () => (await import('./packs/receipt-show.ts')).receiptShow,
  },
  {
    name: 'receipt-verify',
    summary: 'compare a receipt with the records, and find it in a prompt',
    load: async () => (await import('./packs/receipt-verify.ts')).receiptVerify,
  },
  {
    name: 'receipt-label',
    summary: 'mark an item of a receipt as useful or not',
    load: async () => (await import('./packs/receipt-label.ts')).receiptLabel,
  },
  {
    name: 'golden-record',
    summary: 'record what a query finds now, or what it should find',
    load: async () => (await import('./golden/golden-record.ts')).goldenRecord,
  },
  {
    name: 'golden-list',
    summary: 'list the golden queries',
    load: async () => (await import('./golden/golden-list.ts')).goldenList,
  },
  {
    name: 'golden-replay',
    summary: 'run the golden queries and compare what they find with what was recorded',
    load: async () => (await import('./golden/golden-replay.ts')).goldenReplay,
  },
  {
    name: 'golden-diff',
    summary: 'compare two runs of the golden queries',
    load: async () => (await import('./golden/golden-diff.ts')).goldenDiff,
  },
  {
    name: 'golden-remove',
    summary: 'remove a golden query',
    load: async () => (await import('./golden/golden-remove.ts')).goldenRemove,
  },
  {
    name: 'export',
    summary: 'export everything in a portable format',
    load: async () => (await import('./portable/export.ts')).exportMemory,
  },
  {
    name: 'import',
    summary: 'import an export, or the memory of an OpenClaw agent',
    load: async () => (await import('./portable/import.ts')).importMemory,
  },
  {
    name: 'startup-list',
    summary: 'list the startup entries of agents',
    load: async () => (await import('./startup/list.ts')).listStartup,
  },
  {
    name: 'startup-set',
    summary: 'make or change a startup entry',
    load: async () => (await import('./startup/set.ts')).setStartup,
  },
  {
    name: 'startup-remove',
    summary: 'remove a startup entry',
    load: async () => (await import('./startup/remove.ts')).removeStartup,
  },
  {
    name: 'startup-preview',
    summary: 'show which startup entries an agent would get, and which are left out',
    load: async () => (await import('./startup/startup-text.ts')).previewStartup,
  },
  {
    name: 'startup-inject',
    summary: 'return the startup text that an agent should get now',
    load: async () => (await import('./startup/startup-text.ts')).injectStartup,
  },
  {
    name: 'sources-list',
    summary: 'list vaults and sources with their state',
    load: async () => (await import('./sources/list.ts')).sourcesList,
  },
  {
    name: 'sources-show',
    summary: 'show the command of a source and its last runs',
    load: async () => (await import('./sources/show.ts')).sourcesShow,
  },
  {
    name: 'sources-approve',
    summary: 'allow a source to run its command',
    load: async () => (await import('./sources/approve.ts')).sourcesApprove,
  },
  {
    name: 'sources-test',
    summary: 'run a source once and show its documents; stores nothing',
    load: async () => (await import('./sources/test.ts')).sourcesTest,
  },
  {
    name: 'sources-refresh',
    summary: 'run sources now',
    load: async () => (await import('./sources/refresh.ts')).sourcesRefresh,
  },
  {
    name: 'sources-pause',
    summary: 'stop refreshing a source for a while',
    load: async () => (await import('./sources/pause.ts')).sourcesPause,
  },
  {
    name: 'sources-resume',
    summary: 'refresh a paused source again',
    load: async () => (await import('./sources/pause.ts')).sourcesResume,
  },
  {
    name: 'sources-remove',
    summary: 'remove a source and its documents',
    load: async () => (await import('./sources/remove.ts')).sourcesRemove,
  },
  {
    name: 'concept-list',
    summary: 'list the concepts of the notes, with their names',
    load: async () => (await import('./graph/concepts/read-concepts.ts')).listConcepts,
  },
  {
    name: 'concept-show',
    summary: 'show a concept, its notes and the records that name it',
    load: async () => (await import('./graph/concepts/read-concepts.ts')).showConcept,
  },
  {
    name: 'concept-conflicts',
    summary: 'list names that two or more notes have',
    load: async () => (await import('./graph/concepts/read-concepts.ts')).conceptConflicts,
  },
  {
    name: 'concept-merge',
    summary: 'make several concepts one',
    load: async () => (await import('./graph/concepts/change-concepts.ts')).mergeConcepts,
  },
  {
    name: 'concept-split',
    summary: 'make names of a concept a concept of their own',
    load: async () => (await import('./graph/concepts/change-concepts.ts')).splitConcept,
  },
  {
    name: 'concept-rename',
    summary: 'give a concept another label',
    load: async () => (await import('./graph/concepts/change-concepts.ts')).renameConcept,
  },
  {
    name: 'concept-undo',
    summary: 'undo a change of concepts',
    load: async () => (await import('./graph/concepts/change-concepts.ts')).undoConceptChange,
  },
  {
    name: 'concept-changes',
    summary: 'list what operators changed about concepts',
    load: async () => (await import('./graph/concepts/read-concepts.ts')).conceptChanges,
  },
  {
    name: 'graph-status',
    summary: 'show how many nodes and edges the graph has',
    load: async () => (await import('./graph/graph-status.ts')).graphStatus,
  },
  {
    name: 'graph-index',
    summary: 'list what is remembered about something, and what to look at next, within a budget',
    load: async () => (await import('./graph/graph-index.ts')).graphIndex,
  },
  {
    name: 'graph-pack',
    summary: 'put summaries of notes and of what is around them into one text within a budget',
    load: async () => (await import('./graph/graph-pack.ts')).graphPack,
  },
  {
    name: 'graph-show',
    summary: 'show what notes, tasks and projects are connected to, and why',
    load: async () => (await import('./graph/graph-show.ts')).graphShow,
  },
  {
    name: 'graph-path',
    summary: 'find how two notes are connected',
    load: async () => (await import('./graph/graph-path.ts')).graphPath,
  },
  {
    name: 'graph-export',
    summary: 'write the graph as JSON',
    load: async () => (await import('./graph/graph-export.ts')).graphExport,
  },
  {
    name: 'graph-diff',
    summary: 'compare two exports of the graph',
    load: async () => (await import('./graph/graph-diff.ts')).graphDiff,
  },
  {
    name: 'audit',
    summary: 'show who changed what, and when',
    load: async () => (await import('./audit/audit.ts')).audit,
  },
  {
    name: 'status',
    summary: 'show how much is remembered and where it is stored',
    load: async () => (await import('./health/status.ts')).status,
  },
  {
    name: 'doctor',
    summary: 'look for problems; changes nothing',
    load: async () => (await import('./health/doctor.ts')).doctor,
  },
  {
    name: 'reindex',
    summary: 'rebuild everything that is derived from the records',
    load: async () => (await import('./health/reindex.ts')).reindex,
  },
  {
    name: 'embed-test',
    summary: 'try the embedding provider: dimensions, speed, and whether its vectors make sense',
    load: async () => (await import('./embedding/test.ts')).embedTest,
  },
  {
    name: 'embed-backfill',
    summary: 'make the vectors of the configured model, beside those that searches use',
    load: async () => (await import('./embedding/backfill.ts')).embedBackfill,
  },
  {
    name: 'embed-compare',
    summary: 'compare the vectors of the configured model with those of searches, on the golden queries',
    load: async () => (await import('./embedding/compare.ts')).embedCompare,
  },
  {
    name: 'embed-switch',
    summary: 'let searches use the vectors of the configured model',
    load: async () => (await import('./embedding/switch.ts')).embedSwitch,
  },
  {
    name: 'embed-prune',
    summary: 'remove the vectors of previous embedding models',
    load: async () => (await import('./embedding/prune.ts')).embedPrune,
  },
  {
    name: 'forget-vault',
    summary: 'remove a vault from the settings and its records from the store',
    load: async () => (await import('./vaults/forget-vault.ts')).forgetVault,
  },
  {
    name: 'config-show',
    summary: 'list every effective setting and where it comes from',
    load: async () => (await import('./settings/config-show.ts')).configShow,
  },
  {
    name: 'config-get',
    summary: 'print one setting',
    load: async () => (await import('./settings/config-get.ts')).configGet,
  },
  {
    name: 'config-set',
    summary: 'change one setting in loci.yaml, without losing comments',
    load: async () => (await import('./settings/config-set.ts')).configSet,
  },
  {
    name: 'token-create',
    summary: 'make a token that gives access to a memory over HTTP',
    load: async () => (await import('./access/token-create.ts')).createToken,
  },
  {
    name: 'token-list',
    summary: 'list the tokens',
    load: async () => (await import('./access/token-list.ts')).listTokens,
  },
  {
    name: 'token-revoke',
    summary: 'revoke a token',
    load: async () => (await import('./access/token-revoke.ts')).revokeToken,
  },
];
