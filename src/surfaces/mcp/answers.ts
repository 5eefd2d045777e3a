import {
  type CallToolResult,
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  UriTemplate,
} from '@modelcontextprotocol/server';
import { LociError } from '../../core/errors.ts';
import { asLociError } from '../../core/fs/file-errors.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/run.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { lenientInput } from '../../operations/shared/lenient-input.ts';
import { errorResult, errorText, outputText, successResult } from './results/tool-result.ts';
import { assertPermitted, type McpSession, type Permission } from './session.ts';
import { loadToolbox, type Toolbox, type ToolListing } from './toolbox.ts';
import { fence, jsonText, RECALLED_FIELDS_ARE_DATA } from './results/model-result.ts';
import type { Json } from '../../core/types.ts';
import type { FactCategoriesOutput } from '../../engine/facts/fact-fields.ts';
import type { GetOutput } from '../../engine/records/get.ts';
import type { SourcesListOutput } from '../../engine/reading/source-schemas.ts';
import type { StartupTextOutput } from '../../engine/startup/startup-fields.ts';
import { withoutHidden } from '../shared/escape-control.ts';

/** What the server answers to requests. */

/** @param client the name that the client gives itself, if any */
export async function toolList(
  session: McpSession,
  client: string | undefined,
): Promise<{ tools: ReturnType<Toolbox['definitions']> }> {
  const [toolbox, listing] = await Promise.all([loadToolbox(), toolListing(session, client)]);
  return { tools: toolbox.definitions(listing) };
}

export async function promptList(session: McpSession): Promise<{ prompts: ReturnType<typeof listPrompts> }> {
  const { tools } = await toolList(session, undefined);
  return { prompts: listPrompts(new Set(tools.map(({ name }) => name))) };
}

/** Clients that give the list of tools to a model as it is, and use no types of results. */
const HOSTS_OF_MODELS =
  /^(?:amp|antigravity|claude|cline|codex|continue|copilot|crush|cursor|gemini|goose|kiro|openclaw|opencode|roo|visual studio code|windsurf|zed)\b/i;

/** The settings that decide which tools are listed. Calls report settings that cannot be read. */
async function toolListing({ context, scopes }: McpSession, client = ''): Promise<ToolListing> {
  const isForModel = HOSTS_OF_MODELS.test(client);
  try {
    const { writes, mcp } = (await (await context()).loadConfig()).values;
    const { tools, outputSchemas: use } = mcp;
    const outputSchemas = use === 'auto' ? !isForModel : use === 'always';
    return { scopes, writes: writes.enabled, tools, outputSchemas };
  } catch {
    return { scopes, writes: false, tools: [], outputSchemas: !isForModel };
  }
}

/** @throws ProtocolError for an unknown tool; any other error is returned as a result */
export async function callTool(
  permission: Permission,
  name: string,
  input: unknown,
  context: OperationContext,
): Promise<CallToolResult> {
  const operation = (await loadToolbox()).byTool.get(name);
  if (operation === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool ${JSON.stringify(name.slice(0, 100))}`,
    );
  try {
    assertPermitted(permission, operation, name);
    const output = await runOperation(
      operation,
      context,
      parseInput(operation, lenientInput(operation, input)),
    );
    return successResult(operation.name, output);
  } catch (error) {
    if (context.signal.aborted)
      return errorResult(new LociError('aborted', `${name} was cancelled`, { cause: error }));
    return errorResult(asLociError(error));
  }
}

type PromptArguments = Readonly<Record<string, string>>;

interface PromptEntry {
  /** The tool that the prompt needs. The prompt is listed where this tool is. */
  readonly tool: string;
  readonly prompt: Prompt & { readonly arguments: NonNullable<Prompt['arguments']> };
  readonly text: (
    given: PromptArguments,
    context: OperationContext,
    permission: Permission,
  ) => Promise<string>;
}

const PROMPTS: readonly PromptEntry[] = [
  {
    tool: 'memory_search',
    prompt: {
      name: 'recall',
      title: 'Recall',
      description: 'Asks a question and adds what is remembered about it.',
      arguments: [{ name: 'question', description: 'What to ask, in plain words.', required: true }],
    },
    text: recallText,
  },
  {
    tool: 'memory_write',
    prompt: {
      name: 'remember',
      title: 'Remember',
      description: 'Asks the agent to write something down.',
      arguments: [{ name: 'what', description: 'What to remember.', required: true }],
    },
    text: async ({ what = '' }) =>
      'Store the text between the fences with memory_write: one record per thing, each understandable on its own, with a ' +
      'title and tags. Search with memory_search first, and do not write what is stored already.\n' +
      fence(what, 'remember'),
  },
];

/** @param tools the names of the tools that are listed */
export function listPrompts(tools: ReadonlySet<string>): Prompt[] {
  return PROMPTS.filter(({ tool }) => tools.has(tool)).map(({ prompt }) => prompt);
}

/** @throws ProtocolError for an unknown prompt, a missing argument, or an error of the search */
export async function getPrompt(
  name: string,
  given: PromptArguments,
  context: OperationContext,
  permission: Permission,
): Promise<GetPromptResult> {
  const entry = PROMPTS.find(({ prompt }) => prompt.name === name);
  if (entry === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt ${JSON.stringify(name)}`);
  for (const argument of entry.prompt.arguments) {
    if (argument.required === true && (given[argument.name] ?? '').trim() === '')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${argument.name} is missing`);
  }
  const text = await entry.text(given, context, permission);
  const { description = '' } = entry.prompt;
  return { description, messages: [{ role: 'user', content: { type: 'text', text: text.toWellFormed() } }] };
}

async function recallText(
  { question = '' }: PromptArguments,
  context: OperationContext,
  permission: Permission,
): Promise<string> {
  const search = (await loadToolbox()).byName.get('search');
  if (search === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, 'the search is missing');
  try {
    assertPermitted(permission, search, 'recall');
    const found = await runOperation(search, context, parseInput(search, { query: question }));
    return `${question}\n\nAnswer from what is remembered, and name the citations.\n${outputText('search', found)}`;
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, errorText(asLociError(error)));
  }
}

/** The output of an operation at a URI. A URI with variables (RFC 6570) is a template. */
interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly operation: string;
  readonly input: (variables: Readonly<Record<string, string>>) => Readonly<Record<string, Json>>;
  readonly text: (output: never) => string;
}

const RESOURCES: readonly ResourceEntry[] = [
  {
    uri: 'loci://startup',
    name: 'startup',
    title: 'Startup text',
    description: 'What the owner wants every agent to know when a session starts.',
    mimeType: 'text/markdown',
    operation: 'startup-preview',
    // A client that reads the resource wants the text, even if the session has it already.
    input: () => ({ mode: 'always' }),
    text: ({ text }: StartupTextOutput) => withoutHidden(text),
  },
  {
    uri: 'loci://my-memory',
    name: 'my-memory',
    title: 'Facts',
    description: 'The categories of the stored facts, with the number of facts and the latest keys of each.',
    mimeType: 'application/json',
    operation: 'fact-categories',
    input: () => ({}),
    text: jsonResource,
  },
  {
    uri: 'loci://sources',
    name: 'sources',
    title: 'Vaults and sources',
    description:
      'The vaults and sources that are searched: condition, number of documents, time of the last refresh, errors, and how ' +
      'often each was found.',
    mimeType: 'application/json',
    operation: 'sources-list',
    input: () => ({}),
    text: jsonResource,
  },
  {
    uri: 'loci://record/{id}',
    name: 'record',
    title: 'A record',
    description: 'A note, or a record written with memory_write, by its number.',
    mimeType: 'text/markdown',
    operation: 'get',
    input: ({ id = '' }) => ({ citation: `record/${id}` }),
    text: (output: GetOutput) => outputText('get', output),
  },
];

/** JSON has no fence. */
function jsonResource(output: FactCategoriesOutput | SourcesListOutput): string {
  return jsonText({ notice: RECALLED_FIELDS_ARE_DATA, ...output });
}

const isTemplate = ({ uri }: ResourceEntry): boolean => uri.includes('{');

export function listResources(): Resource[] {
  return RESOURCES.filter((entry) => !isTemplate(entry)).map(({ uri, ...entry }) => ({
    uri,
    ...describe(entry),
  }));
}

export function listTemplates(): ResourceTemplateType[] {
  return RESOURCES.filter(isTemplate).map(({ uri, ...entry }) => ({ uriTemplate: uri, ...describe(entry) }));
}

function describe({ name, title, description, mimeType }: Omit<ResourceEntry, 'uri'>) {
  return { name, title, description, mimeType };
}

/** @throws ProtocolError with the error of the table in its data; ResourceNotFoundError if there is nothing at the URI */
export async function readResource(
  uri: string,
  context: OperationContext,
  permission: Permission,
): Promise<ReadResourceResult> {
  const { byName } = await loadToolbox();
  for (const entry of RESOURCES) {
    const variables = new UriTemplate(entry.uri).match(uri);
    const operation = byName.get(entry.operation);
    if (variables === null || operation === undefined) continue;
    try {
      const plain = Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, String(value)]),
      );
      assertPermitted(permission, operation, entry.uri);
      const output = await runOperation(operation, context, parseInput(operation, entry.input(plain)));
      const text = entry.text(output as never).toWellFormed();
      return { contents: [{ uri, mimeType: entry.mimeType, text }] };
    } catch (error) {
      throw asProtocolError(error, uri);
    }
  }
  throw new ResourceNotFoundError(uri);
}

function asProtocolError(error: unknown, uri: string): ProtocolError {
  const lociError = asLociError(error);
  if (lociError.code === 'not_found' || lociError.code === 'gone')
    return new ResourceNotFoundError(uri, errorText(lociError));
  const { code, message, hint } = lociError;
  return new ProtocolError(ProtocolErrorCode.InternalError, errorText(lociError), { code, message, hint });
}
