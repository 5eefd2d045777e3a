/** How the verbs read as commands. A verb that is not named here is a command of its name with options alone. */

export interface CommandShape {
  /** What follows `loci`. */
  readonly words: readonly string[];
  readonly operands: readonly Operand[];
  /** One-letter options: field → letter. */
  readonly letters: Readonly<Record<string, string>>;
  /** What people also call an option: field → name. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Lists whose entries hold no commas, so that an option may take several at once. Lists of choices always may. */
  readonly commaLists: readonly string[];
  /** Flags that mean something else when they are off than when they are not given. */
  readonly negatable: readonly string[];
  /** Fields that no option can hold: `--input` brings them. */
  readonly inputOnly: readonly string[];
  /** Options that change what is shown, not what is done. */
  readonly views: readonly ViewOption[];
}

/** An argument without a dash before it. */
export interface Operand {
  readonly field: string;
  readonly label: string;
  /** `words` are joined by spaces, so that they need no quotes; `-` alone then reads standard input. */
  readonly takes: 'one' | 'words' | 'list';
}

export interface ViewOption {
  readonly name: string;
  readonly description: string;
}

const ALL_PROBLEMS: ViewOption = { name: 'verbose', description: 'list every problem, not the first ten' };

const SHAPES: Readonly<Record<string, Partial<CommandShape>>> = {
  index: {
    operands: [{ field: 'paths', label: 'path', takes: 'list' }],
    views: [ALL_PROBLEMS],
  },
  reindex: { views: [ALL_PROBLEMS] },
  search: {
    operands: [{ field: 'query', label: 'query', takes: 'words' }],
    letters: { limit: 'n', explain: 'e' },
    aliases: { until: 'to', record_type: 'type' },
    commaLists: ['tags'],
  },
  get: {
    operands: [{ field: 'citation', label: 'citation', takes: 'words' }],
    views: [{ name: 'plain', description: 'the text alone: no heading, no line numbers' }],
  },
  write: {
    operands: [{ field: 'content', label: 'content', takes: 'words' }],
    letters: { title: 't' },
    aliases: { record_type: 'type' },
    commaLists: ['tags'],
  },
  update: {
    operands: [{ field: 'id', label: 'id', takes: 'one' }],
    letters: { title: 't' },
    aliases: { record_type: 'type' },
    commaLists: ['tags'],
  },
  delete: { operands: [{ field: 'id', label: 'id', takes: 'one' }] },
  undelete: { operands: [{ field: 'id', label: 'id', takes: 'one' }] },
  'fact-store': {
    words: ['fact', 'store'],
    operands: [
      { field: 'key', label: 'key', takes: 'one' },
      { field: 'value', label: 'value', takes: 'words' },
    ],
    commaLists: ['tags'],
  },
  'fact-recall': {
    words: ['fact', 'recall'],
    operands: [{ field: 'key', label: 'key', takes: 'one' }],
    views: [{ name: 'plain', description: 'the value alone' }],
  },
  'fact-list': { words: ['fact', 'list'], letters: { limit: 'n' }, commaLists: ['tags'] },
  'fact-forget': { words: ['fact', 'forget'], operands: [{ field: 'key', label: 'key', takes: 'one' }] },
  'fact-categories': { words: ['fact', 'categories'] },
  corpus: { operands: [{ field: 'query', label: 'query', takes: 'words' }], letters: { limit: 'n' } },
  import: {
    operands: [{ field: 'path', label: 'path', takes: 'one' }],
    inputOnly: ['lines', 'files'],
    views: [ALL_PROBLEMS],
  },
  'startup-list': { words: ['startup', 'list'] },
  'startup-set': {
    words: ['startup', 'set'],
    operands: [
      { field: 'key', label: 'key', takes: 'one' },
      { field: 'content', label: 'content', takes: 'words' },
    ],
    negatable: ['reinforce'],
  },
  'startup-remove': {
    words: ['startup', 'remove'],
    operands: [{ field: 'key', label: 'key', takes: 'one' }],
  },
  'startup-preview': { words: ['startup', 'preview'] },
  'startup-inject': { words: ['startup', 'inject'] },
  'sources-list': { words: ['sources', 'list'] },
  'sources-show': {
    words: ['sources', 'show'],
    operands: [{ field: 'id', label: 'id', takes: 'one' }],
  },
  'sources-approve': {
    words: ['sources', 'approve'],
    operands: [{ field: 'ids', label: 'id', takes: 'list' }],
  },
  'sources-pause': {
    words: ['sources', 'pause'],
    operands: [{ field: 'id', label: 'id', takes: 'one' }],
  },
  'sources-resume': {
    words: ['sources', 'resume'],
    operands: [{ field: 'id', label: 'id', takes: 'one' }],
  },
  'sources-remove': {
    words: ['sources', 'remove'],
    operands: [{ field: 'id', label: 'id', takes: 'one' }],
  },
  'sources-test': {
    words: ['sources', 'test'],
    operands: [{ field: 'id', label: 'id', takes: 'one' }],
    letters: { limit: 'n' },
    views: [{ name: 'full', description: 'texts as a whole, not the beginning of each' }],
  },
  'sources-refresh': {
    words: ['sources', 'refresh'],
    operands: [{ field: 'ids', label: 'id', takes: 'list' }],
    views: [ALL_PROBLEMS],
  },
  audit: {
    letters: { limit: 'n' },
    aliases: { until: 'to' },
    views: [{ name: 'verbose', description: 'changes in full, and where each entry stands in its chain' }],
  },
  doctor: {
    views: [{ name: 'verbose', description: 'list everything that a check found, not the first ten' }],
  },
  'forget-vault': { operands: [{ field: 'vault', label: 'vault', takes: 'words' }] },
  'config-show': { words: ['config', 'show'] },
  'config-get': { words: ['config', 'get'], operands: [{ field: 'key', label: 'key', takes: 'one' }] },
  'config-set': {
    words: ['config', 'set'],
    operands: [
      { field: 'key', label: 'key', takes: 'one' },
      { field: 'value', label: 'value', takes: 'one' },
    ],
  },
  'token-create': { words: ['token', 'create'] },
  'token-list': { words: ['token', 'list'] },
  'token-revoke': {
    words: ['token', 'revoke'],
    operands: [{ field: 'token', label: 'token', takes: 'one' }],
  },
};

/** Summaries of commands that only hold others. */
export const GROUPS: Readonly<Record<string, string>> = {
  config: 'show or change the settings',
  fact: 'what is kept under a key until its time is over',
  sources: 'what the agent should simply know: todos, calendars, whatever prints JSON',
  startup: 'what agents are told before they begin',
  token: 'tokens with which others reach a memory over HTTP',
};

export function shapeOf(name: string): CommandShape {
  return {
    words: [name],
    operands: [],
    letters: {},
    aliases: {},
    commaLists: [],
    negatable: [],
    inputOnly: [],
    views: [],
    ...SHAPES[name],
  };
}
