import type { LoadedOperation, Operation } from './operation.ts';

/** An operation that is not loaded yet. */
export interface OperationEntry {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly load: () => Promise<LoadedOperation>;
}

/** The types of an operation, with what the registry says of it. */
type Loaded<Each> =
  Each extends Operation<infer Input, infer Output> ? LoadedOperation<Input, Output> : never;

/** One entry for each operation of a file, which is imported when one of them is loaded: all together take longer than many commands. */
function operationsOf<Named extends Readonly<Record<string, Operation>>>(
  load: () => Promise<Named>,
  summaries: { readonly [Name in keyof Named]: string },
) {
  const entries = Object.entries<string>(summaries).map(([name, summary]) => {
    const title = summary.charAt(0).toUpperCase() + summary.slice(1);
    return {
      name,
      summary,
      load: async () => ({ title, description: `${title}.`, ...(await load())[name] }),
    };
  });
  return entries as unknown as {
    [Name in keyof Named & string]: {
      readonly name: Name;
      readonly summary: string;
      readonly load: () => Promise<Loaded<Named[Name]>>;
    };
  }[keyof Named & string][];
}

/** Every operation, by noun. */
export const OPERATIONS = [
  ...operationsOf(async () => (await import('./nouns/settings.ts')).settingOperations, {
    init: 'make the home folder with a settings file and an empty store',
    'config-show': 'list every effective setting and where it comes from',
    'config-get': 'print one setting',
    'config-set': 'change one setting in loci.yaml, without losing comments',
    'migrate-store': 'copy everything into a store in PostgreSQL, or into another file',
  }),
  ...operationsOf(async () => (await import('./nouns/index-notes.ts')).indexOperations, {
    index: 'read folders of notes, or what changed in them',
  }),
  ...operationsOf(async () => (await import('./nouns/records.ts')).recordOperations, {
    search: 'search everything that is remembered, by words and by meaning',
    get: 'read a record, or some of its lines, by citation',
    list: 'list records, the last stored first',
    timeline: 'show what came before and after a record or a moment',
    write: 'remember something',
    update: 'change a written record',
    delete: 'delete a record; it can be restored',
    undelete: 'restore a deleted record',
  }),
  ...operationsOf(async () => (await import('./nouns/browse.ts')).browseOperations, {
    'record-show': 'show all of a record at once: text, properties, links, passages',
    'record-links': 'list the links of notes to a note, with the text around them',
    'record-image': 'return an image of the vault that a note shows',
    'record-table': 'list records by time, last update or title, page by page',
    'record-histogram': 'count records by time and source',
    'record-facets': 'count records by source, tag, project, category, type and trust',
  }),
  ...operationsOf(async () => (await import('./nouns/facts.ts')).factOperations, {
    'fact-store': 'store a value under a key until it expires',
    'fact-recall': 'read the fact of a key',
    'fact-list': 'list facts',
    'fact-forget': 'forget facts by key, prefix or category',
    'fact-categories': 'list the categories of facts',
    corpus: 'return facts and runs as documents for another memory',
  }),
  ...operationsOf(async () => (await import('./nouns/packs.ts')).packOperations, {
    pack: 'put what is remembered about something into one text within a budget of tokens',
    'receipt-list': 'list what was given to agents',
    'receipt-show': 'show what an agent was given, from which records, and why',
    'receipt-verify': 'compare a receipt with the records, and find it in a prompt',
    'receipt-mark': 'mark an item of a receipt as useful or not',
    golden: 'run the queries of a file, and say what they find differently',
  }),
  ...operationsOf(async () => (await import('./nouns/inbox.ts')).inboxOperations, {
    'inbox-list': 'list what agents wrote, changed and deleted, until you keep or undo it',
    'inbox-keep': 'take changes of agents out of the inbox',
    'inbox-undo': 'undo changes of agents, one by one or all of a session',
    audit: 'show who changed what, and when',
  }),
  ...operationsOf(async () => (await import('./nouns/startup.ts')).startupOperations, {
    'startup-list': 'list the startup entries of agents',
    'startup-set': 'make or change a startup entry',
    'startup-remove': 'remove a startup entry',
    'startup-preview': 'show which startup entries an agent would get, and which are left out',
    'startup-inject': 'return the startup text that an agent should get now',
  }),
  ...operationsOf(async () => (await import('./nouns/sources.ts')).sourceOperations, {
    'sources-list': 'list vaults and sources with their state',
    'sources-show': 'show the command of a source and its last runs',
    'sources-excluded': 'list what a vault leaves out, and by which rule',
    'sources-approve': 'allow a source to run its command',
    'sources-test': 'run a source once and show its documents; stores nothing',
    'sources-refresh': 'run sources now',
    'sources-pause': 'stop refreshing a source for a while',
    'sources-resume': 'refresh a paused source again',
    'sources-remove': 'remove a vault or source and its documents',
  }),
  ...operationsOf(async () => (await import('./nouns/graph.ts')).graphOperations, {
    'graph-status': 'show how many nodes and edges the graph has',
    'graph-index': 'list what is remembered about something, and what to look at next, within a budget',
    'graph-pack': 'put summaries of notes and of what is around them into one text within a budget',
    'graph-concepts': 'list what notes are about, with all names',
    'graph-conflicts': 'list names that two or more notes have',
    'graph-show': 'show what notes, tasks and projects are connected to, and why',
    'graph-path': 'find how two notes are connected',
    'graph-map': 'return nodes with positions, and their edges, for a viewer',
    'graph-export': 'write the graph as JSON',
  }),
  ...operationsOf(async () => (await import('./nouns/graph-files.ts')).graphFileOperations, {
    'graph-diff': 'compare two exports of the graph',
    'graph-view': 'make a page of an export, which opens from disk',
  }),
  ...operationsOf(async () => (await import('./nouns/portable.ts')).portableOperations, {
    export: 'export everything in a portable format',
    import: 'import an export, or the memory of an OpenClaw agent',
  }),
  ...operationsOf(async () => (await import('./nouns/health.ts')).healthOperations, {
    status: 'show how much is remembered and where it is stored',
    reindex: 'rebuild everything that is derived from the records',
    'embed-test': 'try the embedding provider: dimensions, speed, and whether its vectors make sense',
    'embed-backfill': 'make the vectors of the configured model, then let searches use them',
  }),
  ...operationsOf(async () => (await import('./nouns/doctor.ts')).doctorOperations, {
    doctor: 'look for problems; changes nothing',
  }),
  ...operationsOf(async () => (await import('./nouns/access.ts')).accessOperations, {
    namespaces: 'list the namespaces of the store, with the number of their records',
    'delete-namespace': 'delete the memory of a subject, with its audit log and tokens',
    'set-quota': 'limit what a subject may keep, and how often it may ask',
    'token-create': 'make a token that gives access to a memory over HTTP',
    'token-list': 'list the tokens',
    'token-revoke': 'revoke a token',
  }),
];
