import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  UriTemplate,
} from '@modelcontextprotocol/server';
import { asLociError } from '../../core/fs/file-errors.ts';
import type { Json } from '../../core/types.ts';
import type { FactCategoriesOutput } from '../../engine/facts/fact-fields.ts';
import type { GetOutput } from '../../engine/records/get.ts';
import { runOperation } from '../../operations/run.ts';
import { parseInput } from '../../operations/shared/input.ts';
import type { OperationContext } from '../../operations/operation.ts';
import type { SourcesListOutput } from '../../engine/reading/source-schemas.ts';
import type { StartupTextOutput } from '../../engine/startup/startup-fields.ts';
import { withoutHidden } from '../shared/escape-control.ts';
import { jsonText, RECALLED_FIELDS_ARE_DATA } from './results/fence.ts';
import { errorText, outputText } from './results/tool-result.ts';
import { assertPermitted, type Permission } from './session.ts';
import type { Toolbox } from './toolbox.ts';

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
  toolbox: Toolbox,
  context: OperationContext,
  permission: Permission,
): Promise<ReadResourceResult> {
  for (const entry of RESOURCES) {
    const variables = new UriTemplate(entry.uri).match(uri);
    const operation = toolbox.byName.get(entry.operation);
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
