import type { Operation } from './operation.ts';

/** A verb that is not loaded yet: what a list of verbs needs. */
export interface OperationEntry {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly load: () => Promise<Operation>;
}

/** Every verb there is, in the order in which a newcomer needs them. */
export const OPERATIONS: readonly OperationEntry[] = [
  {
    name: 'init',
    summary: 'make a home for Loci: a settings file and an empty store',
    load: async () => (await import('./settings/init.ts')).init,
  },
  {
    name: 'index',
    summary: 'read folders of notes, or bring them up to date',
    load: async () => (await import('./vaults/index-vaults.ts')).indexVaults,
  },
  {
    name: 'search',
    summary: 'find what is remembered, by words and by meaning',
    load: async () => (await import('./records/search.ts')).search,
  },
  {
    name: 'get',
    summary: 'read a record, or some of its lines, by citation',
    load: async () => (await import('./records/get.ts')).get,
  },
  {
    name: 'write',
    summary: 'remember something',
    load: async () => (await import('./records/write.ts')).write,
  },
  {
    name: 'update',
    summary: 'change a record that was written',
    load: async () => (await import('./records/update.ts')).update,
  },
  {
    name: 'delete',
    summary: 'take a record out of every answer; it can be brought back',
    load: async () => (await import('./records/delete.ts')).deleteRecord,
  },
  {
    name: 'undelete',
    summary: 'bring back what was deleted',
    load: async () => (await import('./records/undelete.ts')).undelete,
  },
  {
    name: 'fact-store',
    summary: 'keep a value under a key until its time is over',
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
    summary: 'show which categories of facts there are',
    load: async () => (await import('./facts/categories.ts')).factCategories,
  },
  {
    name: 'corpus',
    summary: 'give facts and runs as documents for another memory',
    load: async () => (await import('./facts/corpus.ts')).corpus,
  },
  {
    name: 'export',
    summary: 'give everything in a portable form',
    load: async () => (await import('./portable/export.ts')).exportMemory,
  },
  {
    name: 'import',
    summary: 'take in an export, or what an OpenClaw agent has',
    load: async () => (await import('./portable/import.ts')).importMemory,
  },
  {
    name: 'startup-list',
    summary: 'list what agents are told before they begin',
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
    summary: 'show what an agent would be told, and what is left out',
    load: async () => (await import('./startup/startup-text.ts')).previewStartup,
  },
  {
    name: 'startup-inject',
    summary: 'give what an agent is to be told now',
    load: async () => (await import('./startup/startup-text.ts')).injectStartup,
  },
  {
    name: 'sources-list',
    summary: 'list vaults and sources, and how each is',
    load: async () => (await import('./sources/list.ts')).sourcesList,
  },
  {
    name: 'sources-show',
    summary: 'show what a source runs, and how it did',
    load: async () => (await import('./sources/show.ts')).sourcesShow,
  },
  {
    name: 'sources-approve',
    summary: 'let a source run its command',
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
    summary: 'leave a source alone for a while',
    load: async () => (await import('./sources/pause.ts')).sourcesPause,
  },
  {
    name: 'sources-resume',
    summary: 'let a paused source be refreshed again',
    load: async () => (await import('./sources/pause.ts')).sourcesResume,
  },
  {
    name: 'sources-remove',
    summary: 'take a source and its documents out',
    load: async () => (await import('./sources/remove.ts')).sourcesRemove,
  },
  {
    name: 'audit',
    summary: 'show who changed what, and when',
    load: async () => (await import('./audit/audit.ts')).audit,
  },
  {
    name: 'status',
    summary: 'show what is remembered and where it lives',
    load: async () => (await import('./health/status.ts')).status,
  },
  {
    name: 'doctor',
    summary: 'look for anything that is wrong; changes nothing',
    load: async () => (await import('./health/doctor.ts')).doctor,
  },
  {
    name: 'reindex',
    summary: 'rebuild everything that is derived from the records',
    load: async () => (await import('./health/reindex.ts')).reindex,
  },
  {
    name: 'forget-vault',
    summary: 'take a vault out of the settings and its records out of the store',
    load: async () => (await import('./vaults/forget-vault.ts')).forgetVault,
  },
  {
    name: 'config-show',
    summary: 'list every setting in force and where it came from',
    load: async () => (await import('./settings/config-show.ts')).configShow,
  },
  {
    name: 'config-get',
    summary: 'print one setting',
    load: async () => (await import('./settings/config-get.ts')).configGet,
  },
  {
    name: 'config-set',
    summary: 'change one setting in loci.yaml, comments kept',
    load: async () => (await import('./settings/config-set.ts')).configSet,
  },
  {
    name: 'token-create',
    summary: 'make a token with which somebody reaches a memory over HTTP',
    load: async () => (await import('./access/token-create.ts')).createToken,
  },
  {
    name: 'token-list',
    summary: 'list the tokens that were made',
    load: async () => (await import('./access/token-list.ts')).listTokens,
  },
  {
    name: 'token-revoke',
    summary: 'end the use of a token',
    load: async () => (await import('./access/token-revoke.ts')).revokeToken,
  },
];
