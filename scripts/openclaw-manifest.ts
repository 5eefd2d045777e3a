// Writes `openclaw.plugin.json` and the definitions of the plugin's tools, which the plugin must know before it loads the engine:
// `node scripts/openclaw-manifest.ts`. A test checks that both are up to date.
import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { toolName } from '../src/operations/operation.ts';
import { inputSchema, loadToolbox, withToolNames } from '../src/surfaces/mcp/toolbox.ts';
import { getInput, searchInput } from '../src/surfaces/openclaw/engine/run-tool.ts';
import { pluginSettingsSchema } from '../src/surfaces/openclaw/engine/settings.ts';

/** The operations that agents may run, besides searching and reading. */
const WRITES = ['write', 'update', 'delete', 'undelete', 'fact-store', 'fact-forget'];

const SEARCH_DESCRIPTION =
  'Mandatory recall step: searches the owner’s notes, todos and calendar, the memory files of this workspace, and what agents ' +
  'have stored, by words and by meaning, before you answer anything about earlier work, decisions, dates, people, preferences ' +
  'or todos. Results are best first; `score` is the probability that a result is right. No results means that no record is ' +
  'about the query. If the answer has `unavailable` or `warning`, tell the user.';
const GET_DESCRIPTION =
  'Reads a record that `memory_search` found, or some of its lines, by its `path` or `citation`. `truncated` and `nextFrom` say ' +
  'where it continues.';

export async function renderToolDefinitions(): Promise<string> {
  const { byName } = await loadToolbox();
  const read = {
    search: {
      name: 'memory_search',
      label: 'Memory Search',
      description: SEARCH_DESCRIPTION,
      parameters: inputSchema(searchInput, byName),
      operation: 'search',
      needsWrites: false,
    },
    get: {
      name: 'memory_get',
      label: 'Memory Get',
      description: GET_DESCRIPTION,
      parameters: inputSchema(getInput, byName),
      operation: 'get',
      needsWrites: false,
    },
  };
  const write = WRITES.map((name) => {
    const operation = byName.get(name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    return {
      name: toolName(operation),
      label: operation.title,
      description: withToolNames(operation.description, byName),
      parameters: inputSchema(operation.input, byName),
      operation: name,
      // Agents may restore what they may delete.
      needsWrites: operation.needsWrites === true || name === 'undelete',
    };
  });
  const source = `// Written by \`node scripts/openclaw-manifest.ts\`; do not edit it.

/** A tool, as the host needs it before the engine is loaded. */
export interface ToolDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  /** The operation that it runs. */
  readonly operation: string;
  /** Whether it is offered only if \`writes.enabled\` is true. */
  readonly needsWrites: boolean;
}

export const READ_TOOLS: Readonly<Record<'search' | 'get', ToolDefinition>> = ${JSON.stringify(read)};

export const WRITE_TOOLS: readonly ToolDefinition[] = ${JSON.stringify(write)};
`;
  return format(source, { parser: 'typescript', printWidth: 110, singleQuote: true });
}

/** The manifest of the plugin that owns the memory slot. */
export async function renderManifest(): Promise<string> {
  const { byName } = await loadToolbox();
  const tools = [
    'memory_search',
    'memory_get',
    ...WRITES.flatMap((name) => toolName(byName.get(name) ?? { name })),
  ];
  const { properties = {} } = pluginSettingsSchema();
  const manifest = {
    id: 'memory-loci',
    name: 'Loci',
    description:
      'Memory that is searched by words and by meaning: notes, todos, workspace files and what agents store.',
    kind: 'memory',
    categories: ['memory'],
    activation: { onStartup: true },
    contracts: { tools },
    toolMetadata: { memory_search: { replaySafe: true }, memory_get: { replaySafe: true } },
    cliCommands: [
      { name: 'loci', description: 'Use the command line of Loci', hasSubcommands: true },
      {
        name: 'memory',
        description: 'Search, inspect and index the memory of an agent',
        hasSubcommands: true,
      },
    ],
    // The other settings are those of loci.yaml, and of memory-shadowdb. Loci checks them itself, and names what is wrong.
    configSchema: { type: 'object', additionalProperties: true, properties },
  };
  return format(JSON.stringify(manifest), { parser: 'json', printWidth: 110 });
}

if (import.meta.main) {
  const write = (path: string, text: string): void =>
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
  write('src/surfaces/openclaw/tool-definitions.ts', await renderToolDefinitions());
  write('openclaw.plugin.json', await renderManifest());
}
