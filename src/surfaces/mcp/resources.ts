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
import type { FactCategoriesOutput } from '../../operations/facts/categories.ts';
import type { GetOutput } from '../../operations/records/get.ts';
import { parseInput } from '../../operations/shared/input.ts';
import type { OperationContext } from '../../operations/operation.ts';
import type { SourcesListOutput } from '../../operations/sources/list.ts';
import type { StartupTextOutput } from '../../operations/startup/startup-text.ts';
import { jsonText } from './results/fence.ts';
import { type Permission, assertPermitted } from './permission.ts';
import { errorText } from './results/tool-result.ts';
import type { Toolbox } from './toolbox.ts';

/** What a verb answers, under an address. With variables in it (RFC 6570) it is a template. */
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
    title: 'What to know at the start',
    description: 'What the owner wants every agent to be told before it begins.',
    mimeType: 'text/markdown',
    operation: 'startup-preview',
    // Whoever asks wants it now, whatever a session was told before.
    input: () => ({ mode: 'always' }),
    text: ({ text }: StartupTextOutput) => text,
  },
  {
    uri: 'loci://my-memory',
    name: 'my-memory',
    title: 'What facts there are',
    description:
      'The categories of the facts that are stored, how many each has, and the keys that were stored last.',
    mimeType: 'application/json',
    operation: 'fact-categories',
    input: () => ({}),
    text: (output: FactCategoriesOutput) => jsonText(output),
  },
  {
    uri: 'loci://sources',
    name: 'sources',
    title: 'What is searched, and how fresh it is',
    description:
      'The vaults and sources whose documents are searched: how each is, how many documents it has, when it was last read, ' +
      'what failed, and how often it was found.',
    mimeType: 'application/json',
    operation: 'sources-list',
    input: () => ({}),
    text: (output: SourcesListOutput) => jsonText(output),
  },
  {
    uri: 'loci://record/{id}',
    name: 'record',
    title: 'A record',
    description: 'What was written with memory_write, or a note, by its number.',
    mimeType: 'text/markdown',
    operation: 'get',
    input: ({ id = '' }) => ({ citation: `record/${id}` }),
    text: ({ text }: GetOutput) => text,
  },
];

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

/** @throws ProtocolError with the error of the table in its data; ResourceNotFoundError where nothing stands there */
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
      const output = await operation.run(context, parseInput(operation, entry.input(plain)));
      const text = entry.text(output as never).toWellFormed();
      return { contents: [{ uri, mimeType: entry.mimeType, text }] };
    } catch (error) {
      throw asProtocolError(error, uri);
    }
  }
  throw new ResourceNotFoundError(uri);
}

function asProtocolError(error: unknown, uri: string): ProtocolError {
  const known = asLociError(error);
  if (known.code === 'not_found' || known.code === 'gone')
    return new ResourceNotFoundError(uri, errorText(known));
  const { code, message, hint } = known;
  return new ProtocolError(ProtocolErrorCode.InternalError, errorText(known), { code, message, hint });
}
