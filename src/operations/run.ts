import { LociError } from '../core/errors.ts';
import type { Json } from '../core/types.ts';
import { type Operation, type OperationContext, toolName } from './operation.ts';

/**
 * Does what a verb says, and notes it in the history (F3): each run of a tool by an agent, and each run of several steps,
 * whoever began it. Every surface runs verbs through this.
 * @throws what the verb throws
 */
export async function runOperation<Input, Output>(
  operation: Operation<Input, Output>,
  context: OperationContext,
  input: Input,
): Promise<Output> {
  const began = Date.now();
  let outcome = 'internal';
  try {
    const output = await operation.run(context, input);
    outcome = outcomeOf(output);
    return output;
  } catch (error) {
    if (error instanceof LociError) outcome = error.code;
    throw error;
  } finally {
    await note(operation, context, input, began, outcome);
  }
}

async function note(
  operation: Pick<Operation, 'name' | 'tool' | 'local' | 'steps'>,
  context: OperationContext,
  input: unknown,
  at: number,
  outcome: string,
): Promise<void> {
  if (operation.local === true && operation.steps !== true) return;
  // Where there is no store there is nothing to note it in.
  const loci = await context.loci().catch(() => null);
  if (loci === null || (loci.caller.trust === 'operator' && operation.steps !== true)) return;
  const { surface, actor } = loci.caller;
  loci.recordRun({
    category: operation.steps === true ? 'pipeline_history' : 'pack_history',
    name: toolName(operation),
    surface,
    actor,
    inputs: inputsOf(input),
    outcome,
    at,
    tookMs: Date.now() - at,
  });
}

/** Longer ones are texts, and so are these: what they say stands in what they wrote, or is nobody's business. */
const LONGEST = 64;
const TEXTS: ReadonlySet<string> = new Set([
  'content',
  'value',
  'query',
  'title',
  'text',
  'lines',
  'idempotency_key',
]);

/** What was given, without texts: of those only how long they are. */
function inputsOf(input: unknown): Record<string, Json> {
  if (typeof input !== 'object' || input === null) return {};
  const given = Object.entries(input as Record<string, Json | undefined>);
  return Object.fromEntries(
    given.flatMap(([field, value]) => (value === undefined ? [] : [[field, shortened(field, value)]])),
  );
}

function shortened(field: string, value: Json): Json {
  if (typeof value === 'string')
    return TEXTS.has(field) || value.length > LONGEST ? `${String(value.length)} characters` : value;
  if (Array.isArray(value))
    return value.length > 8 ? `${String(value.length)} entries` : value.map((each) => shortened(field, each));
  return typeof value === 'object' && value !== null ? `${String(Object.keys(value).length)} fields` : value;
}

/** In a few words: which record, or how many results. */
function outcomeOf(output: unknown): string {
  if (typeof output !== 'object' || output === null) return 'done';
  const { citation, id, ...rest } = output as Record<string, unknown>;
  if (typeof citation === 'string') return citation.length > LONGEST ? 'done' : citation;
  if (typeof id === 'number') return `record/${String(id)}`;
  const list = Object.entries(rest).find(([, value]) => Array.isArray(value));
  if (list === undefined) return 'done';
  const [name, { length }] = list as [string, unknown[]];
  return length === 1 ? `1 ${name.replace(/ies$/, 'y').replace(/s$/, '')}` : `${String(length)} ${name}`;
}
