import { inputFields, type FieldSchema } from '../../operations/shared/input.ts';
import { type LoadedOperation, remoteOperation, toolName } from '../../operations/operation.ts';
import type { OperationEntry } from '../../operations/registry.ts';
import { pathOfTool } from './http/paths.ts';

/** An operation and its path. */
export interface Route {
  readonly path: string;
  readonly operation: LoadedOperation;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Whether only the page of the owner may call it. */
  readonly onPage: boolean;
}

/** Routes for all operations that are not local, or that the page has. `memory_search` is at `/api/v1/memory/search`. */
export async function routesOf(entries: readonly OperationEntry[]): Promise<Route[]> {
  const operations = await Promise.all(entries.map(({ load }) => load()));
  return operations
    .flatMap((operation) => remoteOperation(operation) ?? (operation.onPage === true ? operation : []))
    .map((operation) => ({
      onPage: operation.local === true,
      path: pathOfTool(toolName(operation)),
      operation,
      fields: new Map(inputFields(operation).map(({ name, schema }) => [name, schema])),
    }));
}
