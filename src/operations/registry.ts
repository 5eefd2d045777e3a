import type { Operation } from './operation.ts';

/** An operation that is not loaded yet. */
export interface OperationEntry {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly load: () => Promise<Operation>;
}

/** Every operation, in the order in which a new user needs them. */
export const OPERATIONS = [
  {
    name: 'init',
    summary: 'make the home folder with a settings file and an empty store',
    load: async () => (await import('./settings/init.ts')).initOperation,
  },
  {
    name: 'index',
    summary: 'read folders of notes, or what changed in them',
    load: async () => (await import('./vaults/index-vaults.ts')).indexVaultsOperation,
  },
  {
    name: 'search',
    summary: 'search everything that is remembered, by words and by meaning',
    load: async () => (await import('./records/search.ts')).searchOperation,
  },
  {
    name: 'pack',
    summary: 'put what is remembered about something into one text within a budget of tokens',
    load: async () => (await import('./packs/pack.ts')).packOperation,
  },
  {
    name: 'get',
    summary: 'read a record, or some of its lines, by citation',
    load: async () => (await import('./records/get.ts')).getOperation,
  },
  {
    name: 'list',
    summary: 'list records, the last stored first',
    load: async () => (await import('./records/list.ts')).listOperation,
  },
  {
    name: 'timeline',
    summary: 'show what came before and after a record or a moment',
    load: async () => (await import('./records/timeline.ts')).timelineOperation,
  },
  {
    name: 'record-show',
    summary: 'show all of a record at once: text, properties, links, passages',
    load: async () => (await import('./browse/record-show.ts')).recordShowOperation,
  },
  {
    name: 'record-links',
    summary: 'list the links of notes to a note, with the text around them',
    load: async () => (await import('./browse/record-links.ts')).recordLinksOperation,
  },
  {
    name: 'record-image',
    summary: 'return an image of the vault that a note shows',
    load: async () => (await import('./browse/record-image.ts')).recordImageOperation,
  },
  {
    name: 'record-table',
    summary: 'list records by time, last update or title, page by page',
    load: async () => (await import('./browse/record-table.ts')).recordTableOperation,
  },
  {
    name: 'record-histogram',
    summary: 'count records by time and source',
    load: async () => (await import('./browse/record-histogram.ts')).recordHistogramOperation,
  },
  {
    name: 'record-facets',
    summary: 'count records by source, tag, project, category, type and trust',
    load: async () => (await import('./browse/record-facets.ts')).recordFacetsOperation,
  },
  {
    name: 'write',
    summary: 'remember something',
    load: async () => (await import('./records/write.ts')).writeOperation,
  },
  {
    name: 'update',
    summary: 'change a written record',
    load: async () => (await import('./records/update.ts')).updateOperation,
  },
  {
    name: 'delete',
    summary: 'delete a record; it can be restored',
    load: async () => (await import('./records/delete.ts')).deleteRecordOperation,
  },
  {
    name: 'undelete',
    summary: 'restore a deleted record',
    load: async () => (await import('./records/undelete.ts')).undeleteOperation,
  },
  {
    name: 'fact-store',
    summary: 'store a value under a key until it expires',
    load: async () => (await import('./facts/store.ts')).storeFactOperation,
  },
  {
    name: 'fact-recall',
    summary: 'read the fact of a key',
    load: async () => (await import('./facts/recall.ts')).recallFactOperation,
  },
  {
    name: 'fact-list',
    summary: 'list facts',
    load: async () => (await import('./facts/list.ts')).listFactsOperation,
  },
  {
    name: 'fact-forget',
    summary: 'forget facts by key, prefix or category',
    load: async () => (await import('./facts/forget.ts')).forgetFactsOperation,
  },
  {
    name: 'fact-categories',
    summary: 'list the categories of facts',
    load: async () => (await import('./facts/categories.ts')).factCategoriesOperation,
  },
  {
    name: 'corpus',
    summary: 'return facts and runs as documents for another memory',
    load: async () => (await import('./facts/corpus.ts')).corpusOperation,
  },
  {
    name: 'inbox-list',
    summary: 'list what agents wrote, changed and deleted, until you keep or undo it',
    load: async () => (await import('./inbox/list.ts')).inboxListOperation,
  },
  {
    name: 'inbox-keep',
    summary: 'take changes of agents out of the inbox',
    load: async () => (await import('./inbox/keep.ts')).inboxKeepOperation,
  },
  {
    name: 'inbox-undo',
    summary: 'undo changes of agents, one by one or all of a session',
    load: async () => (await import('./inbox/undo.ts')).inboxUndoOperation,
  },
  {
    name: 'receipt-list',
    summary: 'list what was given to agents',
    load: async () => (await import('./packs/receipt-list.ts')).receiptListOperation,
  },
  {
    name: 'receipt-show',
    summary: 'show what an agent was given, from which records, and why',
    load: async () => (await import('./packs/receipt-show.ts')).receiptShowOperation,
  },
  {
    name: 'receipt-verify',
    summary: 'compare a receipt with the records, and find it in a prompt',
    load: async () => (await import('./packs/receipt-verify.ts')).receiptVerifyOperation,
  },
  {
    name: 'receipt-mark',
    summary: 'mark an item of a receipt as useful or not',
    load: async () => (await import('./packs/receipt-mark.ts')).receiptMarkOperation,
  },
  {
    name: 'golden',
    summary: 'run the queries of a file, and say what they find differently',
    load: async () => (await import('./golden/golden.ts')).goldenOperation,
  },
  {
    name: 'export',
    summary: 'export everything in a portable format',
    load: async () => (await import('./portable/export.ts')).exportMemoryOperation,
  },
  {
    name: 'import',
    summary: 'import an export, or the memory of an OpenClaw agent',
    load: async () => (await import('./portable/import.ts')).importMemoryOperation,
  },
  {
    name: 'startup-list',
    summary: 'list the startup entries of agents',
    load: async () => (await import('./startup/list.ts')).listStartupOperation,
  },
  {
    name: 'startup-set',
    summary: 'make or change a startup entry',
    load: async () => (await import('./startup/set.ts')).setStartupOperation,
  },
  {
    name: 'startup-remove',
    summary: 'remove a startup entry',
    load: async () => (await import('./startup/remove.ts')).removeStartupOperation,
  },
  {
    name: 'startup-preview',
    summary: 'show which startup entries an agent would get, and which are left out',
    load: async () => (await import('./startup/startup-text.ts')).previewStartupOperation,
  },
  {
    name: 'startup-inject',
    summary: 'return the startup text that an agent should get now',
    load: async () => (await import('./startup/startup-text.ts')).injectStartupOperation,
  },
  {
    name: 'sources-list',
    summary: 'list vaults and sources with their state',
    load: async () => (await import('./sources/list.ts')).sourcesListOperation,
  },
  {
    name: 'sources-show',
    summary: 'show the command of a source and its last runs',
    load: async () => (await import('./sources/show.ts')).sourcesShowOperation,
  },
  {
    name: 'sources-excluded',
    summary: 'list what a vault leaves out, and by which rule',
    load: async () => (await import('./sources/excluded.ts')).sourcesExcludedOperation,
  },
  {
    name: 'sources-approve',
    summary: 'allow a source to run its command',
    load: async () => (await import('./sources/approve.ts')).sourcesApproveOperation,
  },
  {
    name: 'sources-test',
    summary: 'run a source once and show its documents; stores nothing',
    load: async () => (await import('./sources/test.ts')).sourcesTestOperation,
  },
  {
    name: 'sources-refresh',
    summary: 'run sources now',
    load: async () => (await import('./sources/refresh.ts')).sourcesRefreshOperation,
  },
  {
    name: 'sources-pause',
    summary: 'stop refreshing a source for a while',
    load: async () => (await import('./sources/pause.ts')).sourcesPauseOperation,
  },
  {
    name: 'sources-resume',
    summary: 'refresh a paused source again',
    load: async () => (await import('./sources/pause.ts')).sourcesResumeOperation,
  },
  {
    name: 'sources-remove',
    summary: 'remove a source and its documents',
    load: async () => (await import('./sources/remove.ts')).sourcesRemoveOperation,
  },
  {
    name: 'graph-status',
    summary: 'show how many nodes and edges the graph has',
    load: async () => (await import('./graph/graph-status.ts')).graphStatusOperation,
  },
  {
    name: 'graph-index',
    summary: 'list what is remembered about something, and what to look at next, within a budget',
    load: async () => (await import('./graph/graph-index.ts')).graphIndexOperation,
  },
  {
    name: 'graph-pack',
    summary: 'put summaries of notes and of what is around them into one text within a budget',
    load: async () => (await import('./graph/graph-pack.ts')).graphPackOperation,
  },
  {
    name: 'graph-concepts',
    summary: 'list what notes are about, with all names',
    load: async () => (await import('./graph/graph-concepts.ts')).graphConceptsOperation,
  },
  {
    name: 'graph-conflicts',
    summary: 'list names that two or more notes have',
    load: async () => (await import('./graph/graph-concepts.ts')).graphConflictsOperation,
  },
  {
    name: 'graph-show',
    summary: 'show what notes, tasks and projects are connected to, and why',
    load: async () => (await import('./graph/graph-show.ts')).graphShowOperation,
  },
  {
    name: 'graph-path',
    summary: 'find how two notes are connected',
    load: async () => (await import('./graph/graph-path.ts')).graphPathOperation,
  },
  {
    name: 'graph-map',
    summary: 'return nodes with positions, and their edges, for a viewer',
    load: async () => (await import('./graph/graph-map.ts')).graphMapOperation,
  },
  {
    name: 'graph-export',
    summary: 'write the graph as JSON',
    load: async () => (await import('./graph/graph-export.ts')).graphExportOperation,
  },
  {
    name: 'graph-diff',
    summary: 'compare two exports of the graph',
    load: async () => (await import('./graph/graph-diff.ts')).graphDiffOperation,
  },
  {
    name: 'graph-view',
    summary: 'make a page of an export, which opens from disk',
    load: async () => (await import('./graph/graph-view.ts')).graphViewOperation,
  },
  {
    name: 'audit',
    summary: 'show who changed what, and when',
    load: async () => (await import('./audit/audit.ts')).auditOperation,
  },
  {
    name: 'status',
    summary: 'show how much is remembered and where it is stored',
    load: async () => (await import('./health/status.ts')).statusOperation,
  },
  {
    name: 'figures',
    summary: 'show how the store has grown, and how long searches took',
    load: async () => (await import('./health/figures.ts')).figuresOperation,
  },
  {
    name: 'doctor',
    summary: 'look for problems; changes nothing',
    load: async () => (await import('./health/doctor.ts')).doctorOperation,
  },
  {
    name: 'reindex',
    summary: 'rebuild everything that is derived from the records',
    load: async () => (await import('./health/reindex.ts')).reindexOperation,
  },
  {
    name: 'embed-test',
    summary: 'try the embedding provider: dimensions, speed, and whether its vectors make sense',
    load: async () => (await import('./embedding/test.ts')).embedTestOperation,
  },
  {
    name: 'embed-backfill',
    summary: 'make the vectors of the configured model, then let searches use them',
    load: async () => (await import('./embedding/backfill.ts')).embedBackfillOperation,
  },
  {
    name: 'forget-vault',
    summary: 'remove a vault from the settings and its records from the store',
    load: async () => (await import('./vaults/forget-vault.ts')).forgetVaultOperation,
  },
  {
    name: 'migrate-store',
    summary: 'copy everything into a store in PostgreSQL, or into another file',
    load: async () => (await import('./settings/migrate-store.ts')).migrateStoreOperation,
  },
  {
    name: 'config-show',
    summary: 'list every effective setting and where it comes from',
    load: async () => (await import('./settings/config-show.ts')).configShowOperation,
  },
  {
    name: 'config-get',
    summary: 'print one setting',
    load: async () => (await import('./settings/config-get.ts')).configGetOperation,
  },
  {
    name: 'config-set',
    summary: 'change one setting in loci.yaml, without losing comments',
    load: async () => (await import('./settings/config-set.ts')).configSetOperation,
  },
  {
    name: 'namespaces',
    summary: 'list the namespaces of the store, with the number of their records',
    load: async () => (await import('./access/namespaces.ts')).namespacesOperation,
  },
  {
    name: 'token-create',
    summary: 'make a token that gives access to a memory over HTTP',
    load: async () => (await import('./access/token-create.ts')).createTokenOperation,
  },
  {
    name: 'token-list',
    summary: 'list the tokens',
    load: async () => (await import('./access/token-list.ts')).listTokensOperation,
  },
  {
    name: 'token-revoke',
    summary: 'revoke a token',
    load: async () => (await import('./access/token-revoke.ts')).revokeTokenOperation,
  },
] as const satisfies readonly OperationEntry[];
