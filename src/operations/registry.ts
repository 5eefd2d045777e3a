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
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'index',
    summary: 'read folders of notes, or bring them up to date',
    load: async () => (await import('./index-vaults.ts')).indexVaults,
  },
  {
    name: 'search',
    summary: 'find what is remembered, by words and by meaning',
    load: async () => (await import('./search.ts')).search,
  },
  {
    name: 'get',
    summary: 'read a record, or some of its lines, by citation',
    load: async () => (await import('./get.ts')).get,
  },
  {
    name: 'write',
    summary: 'remember something',
    load: async () => (await import('./write.ts')).write,
  },
  {
    name: 'status',
    summary: 'show what is remembered and where it lives',
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'doctor',
    summary: 'look for anything that is wrong; changes nothing',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'reindex',
    summary: 'rebuild everything that is derived from the records',
    load: async () => (await import('./reindex.ts')).reindex,
  },
  {
    name: 'forget-vault',
    summary: 'take a vault out of the settings and its records out of the store',
    load: async () => (await import('./forget-vault.ts')).forgetVault,
  },
  {
    name: 'config-show',
    summary: 'list every setting in force and where it came from',
    load: async () => (await import('./config-show.ts')).configShow,
  },
  {
    name: 'config-get',
    summary: 'print one setting',
    load: async () => (await import('./config-get.ts')).configGet,
  },
  {
    name: 'config-set',
    summary: 'change one setting in loci.yaml, comments kept',
    load: async () => (await import('./config-set.ts')).configSet,
  },
];
