/** The command groups, with their summaries. The operation `fact-store` is the command `loci fact store`. */
export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  config: 'show or change the settings',
  embed: 'the embedding provider and the vectors that it makes',
  fact: 'values that are stored under a key until they expire',
  graph: 'how notes, tasks and projects are connected',
  inbox: 'what agents wrote, changed and deleted, until you keep or undo it',
  openclaw: 'the memory of OpenClaw',
  receipt: 'what was given to agents, and why',
  sources: 'documents of other programs that are searched too: todos, calendars, anything that prints JSON',
  startup: 'the text that agents get when a session starts',
  token: 'tokens that give others access to a memory over HTTP',
};

/** The command that runs when only its group is named: `loci inbox`. */
export const DEFAULT_COMMANDS: Readonly<Record<string, string>> = { inbox: 'list' };

/** Commands that had another name, by their former first word. The operations keep it. */
export const RENAMED_COMMANDS: Readonly<Record<string, string>> = {
  audit: 'inbox audit',
  completion: 'config completion',
  corpus: 'fact corpus',
  'delete-namespace': 'status delete-namespace',
  'forget-vault': 'sources remove',
  golden: 'doctor golden',
  init: 'config init',
  'migrate-store': 'config migrate-store',
  namespaces: 'status namespaces',
  record: 'list',
  reindex: 'doctor reindex',
  'set-quota': 'status set-quota',
  token: 'serve token',
  watch: 'sources watch',
};

/** The words after `loci` that run an operation: `['fact', 'store']` for `fact-store`, `['inbox', 'audit']` for `audit`. */
export function commandWords(operation: string): readonly string[] {
  const wordsOf = (name: string): string[] =>
    (Object.hasOwn(RENAMED_COMMANDS, name) ? RENAMED_COMMANDS[name]! : name).split(' ');
  const [group = '', ...rest] = operation.split('-');
  const isGrouped = Object.hasOwn(COMMAND_GROUPS, group) || group === 'record';
  return rest.length > 0 && isGrouped ? [...wordsOf(group), rest.join('-')] : wordsOf(operation);
}

/** Commands whose words differ from the tool name after `memory_`. */
const COMMAND_BY_TOOL: Readonly<Record<string, string>> = {
  records: 'list',
  store: 'fact store',
  recall: 'fact recall',
  list: 'fact list',
  forget: 'fact forget',
  categories: 'fact categories',
  corpus: 'fact corpus',
  sources: 'sources list',
};

/** The variable with which a host program says what comes before the words of a command there: `openclaw loci`. */
export const HOST_COMMAND_VARIABLE = 'LOCI_HOST_COMMAND';

/** Names the commands in a message as people type them where it is shown: within a host program, `openclaw loci search`. */
export function asTypedIn(env: NodeJS.ProcessEnv, text: string): string {
  return asTyped(text, env[HOST_COMMAND_VARIABLE]);
}

export function asTyped(text: string, program: string | undefined): string {
  return program === undefined ? text : text.replaceAll(/(?<=`|→ |: )loci (?=[a-z])/g, `${program} `);
}

/** Replaces names of tools in backticks, such as `memory_get`, by the commands that a person types: `loci get`. */
export function withCommandNames(text: string): string {
  return text
    .replaceAll(/`memory_([a-z]+)( \d+)?`/g, (_, tool: string, id = '') => {
      const command = Object.hasOwn(COMMAND_BY_TOOL, tool) ? COMMAND_BY_TOOL[tool] : tool;
      return `\`loci ${String(command)}${String(id)}\``;
    })
    .replaceAll(/`startup_([a-z]+)`/g, '`loci startup $1`');
}
