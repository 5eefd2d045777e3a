import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Scope } from '../../core/caller.ts';
import { type LoadedOperation, remoteOperation, toolName } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import { OMITTED_FIELDS, resultTypes } from './results/tool-result.ts';

/** Which tools a client sees. It may call every tool that its scopes permit. */
export interface ToolListing {
  readonly scopes: ReadonlySet<Scope>;
  /** `writes.enabled`. */
  readonly writes: boolean;
  /** `mcp.tools`. */
  readonly tools: readonly string[];
  /** Whether the tools have the types of their results. */
  readonly outputSchemas: boolean;
}

/** The operations that are tools. */
export interface Toolbox {
  readonly byTool: ReadonlyMap<string, LoadedOperation>;
  readonly byName: ReadonlyMap<string, LoadedOperation>;
  /** The tools to list, in the order of the registry. */
  definitions(listing: ToolListing): Tool[];
}

let toolbox: Promise<Toolbox> | undefined;

/** Loads every operation that needs no local files, once. */
export function loadToolbox(): Promise<Toolbox> {
  toolbox ??= (async () => {
    const all = await Promise.all(OPERATIONS.map(({ load }) => load()));
    const forAgents = all.filter(({ notForAgents }) => notForAgents !== true);
    return toolboxOf(forAgents.flatMap((operation) => remoteOperation(operation) ?? []));
  })();
  return toolbox;
}

function toolboxOf(operations: readonly LoadedOperation[]): Toolbox {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const tools = new Map<LoadedOperation, Tool>();
  const definitionOf = (operation: LoadedOperation): Tool => {
    const tool = tools.get(operation) ?? toolOf(operation, byName);
    tools.set(operation, tool);
    return tool;
  };
  return {
    byName,
    byTool: new Map(operations.map((operation) => [toolName(operation), operation])),
    definitions: (listing) =>
      operations
        .filter((operation) => isListed(operation, listing))
        .map(definitionOf)
        .map(({ outputSchema: types, ...tool }) =>
          listing.outputSchemas && types !== undefined ? { ...tool, outputSchema: types } : tool,
        ),
  };
}

function isListed(operation: LoadedOperation, { scopes, writes, tools }: ToolListing): boolean {
  const { scope, needsWrites = false, listedOnRequest = false } = operation;
  return (
    scopes.has(scope) &&
    (writes || !needsWrites) &&
    (!listedOnRequest || tools.includes('all') || tools.includes(toolName(operation)))
  );
}

/** Claude Code shows a model no tool that it has not searched for, unless the tool asks for it. */
const ALWAYS_LOADED: Readonly<Record<string, Tool['_meta']>> = Object.fromEntries(
  ['search', 'get', 'write'].map((name) => [name, { 'anthropic/alwaysLoad': true }]),
);

function toolOf(operation: LoadedOperation, byName: ReadonlyMap<string, LoadedOperation>): Tool {
  const { name, title, description, input, output, kind } = operation;
  return {
    name: toolName(operation),
    title,
    description: withToolNames(description, byName),
    inputSchema: inputSchema(input, byName),
    outputSchema: outputSchema(resultTypes(operation.name) ?? typesOf(output)),
    annotations: {
      readOnlyHint: kind === 'read',
      destructiveHint: kind === 'destroy',
      openWorldHint: false,
    },
    ...(ALWAYS_LOADED[name] !== undefined && { _meta: ALWAYS_LOADED[name] }),
  };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The input of a tool. It has only keywords that mean the same in draft-07 and in 2020-12 of JSON Schema, since clients use
 * either. It has as few as possible, since a model gets the schemas with every turn. The operations check everything else, and
 * their errors say what is expected.
 */
export function inputSchema(
  schema: z.ZodType,
  byName: ReadonlyMap<string, LoadedOperation>,
): Tool['inputSchema'] {
  const { properties = {}, required } = plainSchema(z.toJSONSchema(schema, { io: 'input' }), byName);
  return { type: 'object', properties, ...(required !== undefined && { required }) } as Tool['inputSchema'];
}

function plainSchema(
  { type, description, enum: values, items, properties, required }: JsonSchema,
  byName: ReadonlyMap<string, LoadedOperation>,
): JsonSchema {
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description: withToolNames(description, byName) }),
    ...(values !== undefined && { enum: values }),
    ...(isSchema(items) && { items: plainSchema(items, byName) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          isSchema(field) ? plainSchema(field, byName) : {},
        ]),
      ),
    }),
    ...(required !== undefined && { required }),
  };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The output of a tool: the types of its fields at the top level. Structured content leaves out fields without a value, so
 * that none is required.
 */
function outputSchema(types: Readonly<Record<string, string>>): Tool['inputSchema'] {
  const fields = Object.entries({ notice: 'string', ...types }).map(
    ([name, type]) => [name, { type }] as const,
  );
  return { type: 'object', properties: Object.fromEntries(fields) };
}

/** The types of the fields of an output, for those that have one. */
function typesOf(schema: z.ZodType): Readonly<Record<string, string>> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'output' });
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => {
      const type = isSchema(field) ? typeOf(field) : undefined;
      return OMITTED_FIELDS.has(name) || type === undefined ? [] : [[name, type]];
    }),
  );
}

/** The type of a field that may also be `null`; `undefined` if it has several. */
function typeOf({ type, anyOf = [] }: JsonSchema): string | undefined {
  const types = [type, ...anyOf.map((each) => each.type)].flat();
  const [only, ...others] = types.filter((each) => each !== undefined && each !== 'null');
  return others.length === 0 ? only : undefined;
}

/** Replaces names of operations in backticks (`get`) by names of tools (`memory_get`). */
export function withToolNames(text: string, byName: ReadonlyMap<string, LoadedOperation>): string {
  return text.replaceAll(/`([a-z-]+)`/g, (whole, name: string) => {
    const operation = byName.get(name);
    return operation === undefined ? whole : `\`${toolName(operation)}\``;
  });
}
