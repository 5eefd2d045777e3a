import { HistoryLog } from '../engine/audit/history-log.ts';
import type { z } from 'zod';
import { LociError } from '../core/errors.ts';
import { inSpan } from '../core/tracing.ts';
import type { Json } from '../core/types.ts';
import { type Operation, type OperationContext, toolName } from './operation.ts';

/**
 * Runs an operation and records it in the history (F3): each run of a tool by an agent, and each run of several steps by
 * anybody, unless the operation is `unrecorded`. Every surface runs operations through this.
 * @throws the errors of the operation
 */
export async function runOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  context: OperationContext,
  input: z.output<Input>,
): Promise<z.output<Output>> {
  const began = Date.now();
  let outcome = 'internal';
  const run = (): Promise<z.output<Output>> =>
    inSpan({ name: toolName(operation), kind: 'internal', attributes: {} }, () =>
      operation.run(context, input),
    );
  try {
    const output = await (context.admit?.(operation, run) ?? run());
    outcome = outcomeOf(output);
    return output;
  } catch (error) {
    if (error instanceof LociError) outcome = error.code;
    throw error;
  } finally {
    await recordRun(operation, context, input, began, outcome);
  }
}

async function recordRun(
  operation: Pick<Operation, 'name' | 'tool' | 'local' | 'steps' | 'unrecorded'>,
  context: OperationContext,
  input: unknown,
  startedAt: number,
  outcome: string,
): Promise<void> {
  // A request that a limit refuses writes nothing.
  if (outcome === 'rate_limited') return;
  if (operation.unrecorded === true || (operation.local === true && operation.steps !== true)) return;
  // Without a store there is no history.
  const loci = await context.loci().catch(() => null);
  if (loci === null || (loci.caller.trust === 'operator' && operation.steps !== true)) return;
  const { surface, actor } = loci.caller;
  loci.shared(HistoryLog).record(loci.namespace, {
    category: operation.steps === true ? 'pipeline_history' : 'pack_history',
    name: toolName(operation),
    surface,
    actor,
    inputs: inputsOf(input),
    outcome,
    at: startedAt,
    tookMs: Date.now() - startedAt,
  });
}

/** The history has only the length of longer values, of connection strings, and of the fields below, which hold contents. */
const MAX_VALUE_LENGTH = 64;
const MAX_ENTRIES = 8;
const CONTENT_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'value',
  'query',
  'title',
  'text',
  'lines',
  'idempotency_key',
]);

/** The input, with lengths in the place of contents. */
function inputsOf(input: unknown): Record<string, Json> {
  if (typeof input !== 'object' || input === null) return {};
  const given = Object.entries(input as Record<string, Json | undefined>);
  return Object.fromEntries(
    given.flatMap(([field, value]) => (value === undefined ? [] : [[field, summarised(field, value)]])),
  );
}

function summarised(field: string, value: Json): Json {
  if (typeof value === 'string')
    return CONTENT_FIELDS.has(field) ||
      value.length > MAX_VALUE_LENGTH ||
      /postgres|:\/\/|password/i.test(value)
      ? `${String(value.length)} characters`
      : value;
  if (Array.isArray(value))
    return value.length > MAX_ENTRIES
      ? `${String(value.length)} entries`
      : value.map((each) => summarised(field, each));
  return typeof value === 'object' && value !== null ? `${String(Object.keys(value).length)} fields` : value;
}

/** The outcome in a few words: a record, or the number of results. */
function outcomeOf(output: unknown): string {
  if (typeof output !== 'object' || output === null) return 'done';
  const { citation, id, ...rest } = output as Record<string, unknown>;
  if (typeof citation === 'string') return citation.length > MAX_VALUE_LENGTH ? 'done' : citation;
  if (typeof id === 'number') return `record/${String(id)}`;
  const list = Object.entries(rest).find(([, value]) => Array.isArray(value));
  if (list === undefined) return 'done';
  const [name, { length }] = list as [string, unknown[]];
  return length === 1 ? `1 ${name.replace(/ies$/, 'y').replace(/s$/, '')}` : `${String(length)} ${name}`;
}
