import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { remoteOperation } from '../../operations/shared/local-io.ts';
import { type Operation, type Scope, toolName } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';

/** The operations that are tools. */
export interface Toolbox {
  readonly byTool: ReadonlyMap<string, Operation>;
  readonly byName: ReadonlyMap<string, Operation>;
  /** The tools that these scopes permit, in the order of the registry. */
  definitions(scopes: ReadonlySet<Scope>): Tool[];
}

let toolbox: Promise<Toolbox> | undefined;

/** Loads every operation that needs no local files, once. */
export function loadToolbox(): Promise<Toolbox> {
  toolbox ??= (async () => {
    const all = await Promise.all(OPERATIONS.map(({ load }) => load()));
    return toolboxOf(all.flatMap((operation) => remoteOperation(operation) ?? []));
  })();
  return toolbox;
}

function toolboxOf(operations: readonly Operation[]): Toolbox {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const tools = new Map<Operation, Tool>();
  const definitionOf = (operation: Operation): Tool => {
    const tool = tools.get(operation) ?? toolOf(operation, byName);
    tools.set(operation, tool);
    return tool;
  };
  return {
    byName,
    byTool: new Map(operations.map((operation) => [toolName(operation), operation])),
    definitions: (scopes) => operations.filter(({ scope }) => scopes.has(scope)).map(definitionOf),
  };
}

function toolOf(operation: Operation, byName: ReadonlyMap<string, Operation>): Tool {
  const { title, description, input, output, readOnly, destructive, idempotent } = operation;
  return {
    name: toolName(operation),
    title,
    description: withToolNames(description, byName),
    inputSchema: jsonSchema(input, 'input', byName),
    outputSchema: jsonSchema(output, 'output', byName),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  };
}

/**
 * A schema as MCP expects it: an object in JSON Schema 2020-12, without `$schema`. The bounds of safe integers are left
 * out: they tell a model nothing, and it gets the schemas with every turn.
 */
function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  byName: ReadonlyMap<string, Operation>,
): Tool['inputSchema'] {
  const { $schema: _, ...object } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: node }) => {
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      if (node.description !== undefined) node.description = withToolNames(node.description, byName);
    },
  });
  return object as Tool['inputSchema'];
}

/** Replaces names of operations in backticks (`get`) by names of tools (`memory_get`). */
function withToolNames(text: string, byName: ReadonlyMap<string, Operation>): string {
  return text.replaceAll(/`([a-z-]+)`/g, (whole, name: string) => {
    const operation = byName.get(name);
    return operation === undefined ? whole : `\`${toolName(operation)}\``;
  });
}
