import fc from 'fast-check';
import { z } from 'zod';
import type { Operation } from '../../src/operations/operation.ts';
import { type Surface, SURFACES } from './shared-server.ts';

/** The part of JSON Schema that the inputs of operations use. */
export interface InputSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly items?: InputSchema;
}

/** One call of a member. */
export interface Step {
  /** The name of the operation in the registry. */
  readonly operation: string;
  readonly surface: Surface;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Words that all members write, so that their records are similar. They contain no numbers, because the corpus contains durations. */
const COMMON_WORDS = ['oven', 'kitchen', 'budget', 'the plan', 'ovne', 'teapot', 'k1', 'k2', 'general'];

/** Steps after which a search finds a record through another that mentions it. */
export function bridgeSteps(marker: string): Step[] {
  const step = (operation: string, surface: Surface, input: Step['input']): Step => ({
    operation,
    surface,
    input,
  });
  const title = `Teapot ${marker}`;
  return [
    step('write', 'rest', { title, content: 'It is in the cupboard of the aunt.' }),
    step('write', 'mcp over http', { title: 'Inventory', content: `It lists the ${title} among heirlooms.` }),
    ...SURFACES.map((surface) => step('search', surface, { query: 'inventory lists heirlooms aunt' })),
  ];
}

/** Swaps the last two letters: a spelling that a search corrects if it knows the word. */
export function misspelled(word: string): string {
  return `${word.slice(0, -2)}${word.slice(-1)}${word.slice(-2, -1)}`;
}

/**
 * Steps of a member whose texts contain `marker`, generated from the schemas of all operations, future ones included.
 * @param others words that other members write. They are misspelled in queries, because an output may repeat the query.
 */
export function steps(
  operations: readonly Operation[],
  marker: string,
  others: readonly string[],
  count: number,
): fc.Arbitrary<Step[]> {
  const text = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...COMMON_WORDS) },
    { weight: 4, arbitrary: fc.constantFrom(...COMMON_WORDS).map((word) => `${word} ${marker}`) },
    { weight: 1, arbitrary: fc.constantFrom(...others.map(misspelled)) },
    { weight: 1, arbitrary: fc.constant(marker) },
  );
  const step = fc.constantFrom(...weighted(operations)).chain((operation) =>
    fc.record({
      operation: fc.constant(operation.name),
      surface: fc.constantFrom(...SURFACES),
      input: inputOf(operation, text),
    }),
  );
  return fc.array(step, { minLength: count, maxLength: count });
}

/** Operations that write are more frequent, because the others return nothing without them. */
function weighted(operations: readonly Operation[]): Operation[] {
  return operations.flatMap((operation) => {
    const isWrite = operation.kind !== 'read' && operation.scope === 'write';
    return isWrite ? [operation, operation, operation] : [operation];
  });
}

function inputOf(operation: Operation, text: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> {
  const schema = z.toJSONSchema(operation.input, { io: 'input' }) as InputSchema;
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, inner]) => [name, valueOf(name, inner, text)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
}

/** Few keys and numbers, so that they occur repeatedly. */
function valueOf(name: string, schema: InputSchema, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'integer':
      // With less, a text has nothing in it.
      if (name === 'budget') return fc.constantFrom(10, 2000);
      return fc.integer({ min: 1, max: 12 });
    case 'number':
      return fc.constantFrom(0, 0.1, 0.9);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf(name, schema.items ?? {}, text), { maxLength: 2 });
    case 'string':
      if (name === 'expires') return fc.constantFrom('1h', '1d');
      return textOf(name, text);
    default:
      return fc.constant(null);
  }
}

function textOf(name: string, text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (name === 'idempotency_key') return fc.constantFrom('one', 'two', 'three');
  if (name === 'key' || name === 'prefix') return fc.constantFrom('k1', 'k2', 'k', 'oven');
  if (name === 'citation' || name === 'anchor')
    return fc.nat({ max: 12 }).map((id) => `record/${String(id)}`);
  if (name === 'nodes')
    return fc.oneof(
      text,
      fc.nat({ max: 12 }).map((id) => `record/${String(id)}`),
    );
  if (name === 'from' || name === 'until' || name === 'time')
    return fc.constantFrom('yesterday', '2026-01-01', '2999-01-01');
  return text;
}
