import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from './registry.ts';

interface Node {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly maximum?: number;
}

/** Yields every field of an output, with the schema of its values that are not null. */
function* fieldsOf(node: Node): Generator<readonly [name: string, field: Node]> {
  for (const inner of [...(node.anyOf ?? []), ...(node.items === undefined ? [] : [node.items])])
    yield* fieldsOf(inner);
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    yield [name, field.anyOf?.find(({ type }) => type !== 'null') ?? field];
    yield* fieldsOf(field);
  }
}

describe('the outputs of operations', () => {
  it('have names in snake_case, times in ISO 8601 and durations in whole milliseconds', async () => {
    const count = { times: 0, durations: 0 };
    for (const { name: operation, load } of OPERATIONS) {
      const { output } = await load();
      for (const [name, field] of fieldsOf(z.toJSONSchema(output) as Node)) {
        const location = `${operation}: ${name}`;
        expect(location).toMatch(/: [a-z]+\d?(_[a-z]+)*$/);
        expect(location).not.toMatch(/seconds|duration|elapsed/);
        if (/_at$|^last_/.test(name)) {
          expect([location, field.format]).toEqual([location, 'date-time']);
          count.times++;
        }
        if (name.startsWith('took')) {
          expect([location, field.type]).toEqual([`${operation}: took_ms`, 'integer']);
          count.durations++;
        }
      }
    }
    expect(count.times).toBeGreaterThan(3);
    expect(count.durations).toBeGreaterThan(2);
  });
});

/** The fields of an input that have no maximum, with their types. */
function unbounded(node: Node, path: string): string[] {
  if (node.enum !== undefined || node.const !== undefined) return [];
  const variants = (node.anyOf ?? []).flatMap((variant) => unbounded(variant, path));
  // A schema that refers to itself is that of any JSON.
  if (node.$ref !== undefined) return [`${path}: any JSON`];
  const isUnbounded =
    (node.type === 'string' && node.maxLength === undefined) ||
    (node.type === 'array' && node.maxItems === undefined) ||
    (typeof node.additionalProperties === 'object' && node.maxProperties === undefined) ||
    ((node.type === 'number' || node.type === 'integer') && node.maximum === undefined);
  return [
    ...variants,
    ...(isUnbounded ? [`${path}: ${node.type ?? ''}`] : []),
    ...(node.items === undefined ? [] : unbounded(node.items, `${path}[]`)),
    ...Object.entries(node.properties ?? {}).flatMap(([name, field]) => unbounded(field, `${path}.${name}`)),
  ];
}

describe('the inputs of operations', () => {
  it('have a maximum for every text, list and number', async () => {
    const found: string[] = [];
    let fields = 0;
    for (const { name, load } of OPERATIONS) {
      const { input } = await load();
      const schema = z.toJSONSchema(input, { io: 'input' }) as Node;
      fields += Object.keys(schema.properties ?? {}).length;
      found.push(...unbounded(schema, name));
    }
    // Only the command line has this operation. The schema of the settings limits the value.
    expect(found).toEqual(['config-set.value: any JSON']);
    expect(fields).toBeGreaterThan(80);
  });
});
