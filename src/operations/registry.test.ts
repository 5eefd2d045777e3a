import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from './registry.ts';

interface Node {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
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
        expect(location).toMatch(/: [a-z]+(_[a-z]+)*$/);
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
