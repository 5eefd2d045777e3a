// Writes the manifests of the plugins for OpenClaw, the list of their settings in docs/openclaw.md, and the definitions of the
// plugin's tools, which the plugin must know before it loads the engine:
// `node scripts/openclaw-manifest.ts`. A test checks that all are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import type { JsonMap } from '../src/core/json.ts';
import { toolName } from '../src/operations/operation.ts';
import { inputSchema, loadToolbox, withToolNames } from '../src/surfaces/mcp/toolbox.ts';
import { getInput, searchInput } from '../src/surfaces/openclaw/engine/run-tool.ts';
import { pluginSettingsSchema } from '../src/surfaces/openclaw/engine/settings.ts';

/** The operations that agents may run, besides searching and reading. */
const WRITES = ['write', 'update', 'delete', 'undelete', 'fact-store', 'fact-forget'];

/** Those that an agent needs when it is told to remember something. */
const VISIBLE_WRITES = ['write', 'fact-store'];

/** The operations that read. Agents that search for tools find them. */
const READS = ['timeline', 'fact-list'];

const SEARCH_DESCRIPTION =
  'Mandatory recall step: searches the owner’s notes, todos and calendar, the memory files of this workspace, and what agents ' +
  'have stored, by words and by meaning, before you answer anything about earlier work, decisions, dates, people, preferences ' +
  'or todos. Results are best first; `score` is the probability that a result is right. No results means that no record is ' +
  'about the query. If the answer has `unavailable` or `warning`, tell the user.';
const GET_DESCRIPTION =
  'Reads a record that `memory_search` found, or some of its lines, by its `path` or `citation`. `truncated` and `nextFrom` say ' +
  'where it continues.';

/** The text as `npm run format` writes it to a file of the project. */
async function formatted(path: string, text: string): Promise<string> {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

export async function renderToolDefinitions(): Promise<string> {
  const { byName } = await loadToolbox();
  const read = [
    {
      name: 'memory_search',
      label: 'Memory Search',
      description: SEARCH_DESCRIPTION,
      parameters: inputSchema(searchInput, byName),
      operation: 'search',
      alwaysVisible: true,
      needsWrites: false,
    },
    {
      name: 'memory_get',
      label: 'Memory Get',
      description: GET_DESCRIPTION,
      parameters: inputSchema(getInput, byName),
      operation: 'get',
      alwaysVisible: true,
      needsWrites: false,
    },
  ];
  const others = [...READS, ...WRITES].map((name) => {
    const operation = byName.get(name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    return {
      name: toolName(operation),
      label: operation.title,
      description: withToolNames(operation.description, byName),
      parameters: inputSchema(operation.input, byName),
      operation: name,
      alwaysVisible: VISIBLE_WRITES.includes(name),
      // Agents may restore what they may delete.
      needsWrites: operation.needsWrites === true || name === 'undelete',
    };
  });
  return formatted('src/surfaces/openclaw/tool-definitions.json', JSON.stringify([...read, ...others]));
}

/** The manifest of the plugin that owns the memory slot. */
export async function renderManifest(): Promise<string> {
  const { byName } = await loadToolbox();
  const names = (operations: readonly string[]): string[] =>
    operations.map((name) => toolName(byName.get(name) ?? { name }));
  const reads = ['memory_search', 'memory_get', ...names(READS)];
  const { properties = {} } = pluginSettingsSchema();
  const manifest = {
    id: 'memory-loci',
    name: 'Loci',
    description:
      'Memory that is searched by words and by meaning: notes, todos, workspace files and what agents store.',
    kind: 'memory',
    categories: ['memory'],
    activation: { onStartup: true },
    contracts: { tools: [...reads, ...names(WRITES)] },
    toolMetadata: Object.fromEntries(reads.map((name) => [name, { replaySafe: true }])),
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
  return formatted('openclaw.plugin.json', JSON.stringify(manifest));
}

/** The manifest of the plugin for people who keep memory-core. It has no `kind`, so that it does not compete for the slot. */
export async function renderCorpusManifest(): Promise<string> {
  const { properties = {} } = pluginSettingsSchema();
  const { home, agents, nonOwner, sandboxed } = properties as JsonMap;
  const manifest = {
    id: 'loci-corpus',
    name: 'Loci corpus',
    description: 'The facts and runs of Loci beside another memory.',
    activation: { onStartup: true },
    configSchema: {
      type: 'object',
      additionalProperties: true,
      properties: { home, agents, nonOwner, sandboxed },
    },
  };
  return formatted('openclaw.plugin.json', JSON.stringify(manifest));
}

const DOCS = 'docs/openclaw.md';
const BEGIN = '<!-- Written by `node scripts/openclaw-manifest.ts`; do not edit it. -->';
const END = '<!-- End of what the script writes. -->';

/** The page about OpenClaw with the list of settings. */
export async function renderOpenclawDocs(page: string): Promise<string> {
  const { properties = {} } = pluginSettingsSchema();
  const lines = Object.entries(properties as Readonly<Record<string, SettingSchema>>).flatMap(
    ([key, schema]) => settingLines(key, schema),
  );
  const [before = ''] = page.split(BEGIN);
  const [, after = ''] = page.split(END);
  return formatted(DOCS, `${before}${BEGIN}\n\n${lines.join('\n')}\n\n${END}${after}`);
}

interface SettingSchema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
}

function settingLines(
  path: string,
  { description = '', default: value, properties }: SettingSchema,
): string[] {
  const isSection = properties !== undefined;
  const hasDefault = value !== undefined && !isSection;
  const line = `- \`${path}\`: ${description}${hasDefault ? ` Default: \`${JSON.stringify(value)}\`.` : ''}`;
  const below = Object.entries(properties ?? {}).flatMap(([key, schema]) =>
    settingLines(`${path}.${key}`, schema),
  );
  return isSection && description === '' ? below : [line.trimEnd(), ...below];
}

if (import.meta.main) {
  const write = (path: string, text: string): void =>
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
  write('src/surfaces/openclaw/tool-definitions.json', await renderToolDefinitions());
  write('openclaw.plugin.json', await renderManifest());
  write('openclaw/loci-corpus/openclaw.plugin.json', await renderCorpusManifest());
  write(DOCS, await renderOpenclawDocs(readFileSync(new URL(`../${DOCS}`, import.meta.url), 'utf8')));
}
