import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { inputFields, parseInput } from './input.ts';
import { OPERATIONS } from '../registry.ts';
import { recordOperations } from '../nouns/records.ts';

function errorMessage(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof LociError && error.code === 'invalid_input') return error.message;
    throw error;
  }
  throw new Error('no error was thrown');
}

describe('parseInput', () => {
  it('parses a day as a whole day, and a time exactly', () => {
    const { from, until } = parseInput(recordOperations.search, {
      query: 'x',
      from: '2026-09-14',
      until: '2026-09-14',
    });
    expect(from).toBe(new Date(2026, 8, 14).getTime());
    expect(until).toBe(new Date(2026, 8, 15).getTime());
    const exact = parseInput(recordOperations.search, {
      query: 'x',
      from: '2026-09-14T18:30:00Z',
      until: '2026-09-14T20:31+02:00',
    });
    expect(exact.from).toBe(Date.UTC(2026, 8, 14, 18, 30));
    expect(exact.until).toBe(Date.UTC(2026, 8, 14, 18, 31));
    expect(parseInput(recordOperations.search, { query: 'x', from: '2026-09-14 18:30' }).from).toBe(
      new Date(2026, 8, 14, 18, 30).getTime(),
    );
  });

  it.each(['query', 'tags', 'limit', 'from'])('names a %s that is an object with a length', (field) => {
    const value = JSON.parse('{"length": {"valueOf": 1, "toString": 1}}') as unknown;
    expect(() => parseInput(recordOperations.search, { query: 'x', [field]: value })).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringContaining(`${field} must be `),
      }),
    );
  });

  it('lists the fields where one is unknown', () => {
    expect(() => parseInput(recordOperations.search, { query: 'x', zebra: 1 })).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^The fields are query, .*limit.*\.$/) }),
    );
  });

  it.each([
    [{}, 'query is missing'],
    [{ query: null }, 'query must be text, not null'],
    [{ query: 'x', qeury: 1 }, 'unknown field qeury; did you mean query?'],
    [{ query: 'x', zebra: 1 }, 'unknown field zebra'],
    [{ query: 'x', limit: '3' }, 'limit must be a number, not "3"'],
    [{ query: 'x', limit: 5000 }, 'limit must be at most 1000, not 5000'],
    [{ query: 'x', tags: [''] }, 'tags.0 must be text of at least 1 character, not ""'],
    [
      { query: 'x', from: '14.9.2026' },
      'from must be a date such as 2026-09-14, 2026-09, 2026, 2026-09-14T18:30, yesterday or last week, not "14.9.2026"',
    ],
    [
      { query: 'x', from: '2026-13-01' },
      'from must be a date such as 2026-09-14, 2026-09, 2026, 2026-09-14T18:30, yesterday or last week, not "2026-13-01"',
    ],
    [{ query: 1, limit: 0 }, 'query must be text, not 1\nlimit must be at least 1, not 0'],
    [[], 'the input must be an object of fields, not []'],
    ['oven', 'the input must be an object of fields, not "oven"'],
    [undefined, 'the input must be an object of fields, not nothing'],
  ])('refuses %j, and names the field', (raw, message) => {
    expect(errorMessage(() => parseInput(recordOperations.search, raw))).toBe(message);
  });

  it('explains exclusive bounds', () => {
    const input = z.strictObject({ n: z.number().gt(0).lt(1) });
    expect(errorMessage(() => parseInput({ input }, { n: 0 }))).toBe('n must be more than 0, not 0');
    expect(errorMessage(() => parseInput({ input }, { n: 1 }))).toBe('n must be less than 1, not 1');
  });

  it('uses the names of the surface for fields, and its hint for missing ones', () => {
    const wording = { nameOf: ([field = '']: readonly string[]) => `--${field}`, missingHint: 'Usage: x' };
    const errorOf = (raw: unknown): unknown => {
      try {
        return parseInput(recordOperations.search, raw, wording);
      } catch (error) {
        return error;
      }
    };
    expect(errorOf({ query: 'x', origins: ['valt'] })).toMatchObject({
      message: expect.stringMatching(/^--origins must be one of/) as string,
      hint: 'Correct the named value and try again.',
    });
    expect(errorOf({ query: 'x', from: '2026-09-14', until: '2026-09-13' })).toMatchObject({
      message: '--until must be the same day as --from, or later, not "2026-09-13"',
    });
    expect(errorOf({})).toMatchObject({ message: '--query is missing', hint: 'Usage: x' });
  });

  it('shortens a long value', () => {
    const message = errorMessage(() =>
      parseInput(recordOperations.write, { content: 'x', title: 'y'.repeat(1000) }),
    );
    expect(message.length).toBeLessThan(150);
  });
});

describe('a value that is nested very deeply', () => {
  it('is refused like any other value of the wrong type', () => {
    const content: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(errorMessage(() => parseInput(recordOperations.write, { content }))).toBe(
      'content must be text, not a value that is nested too deeply to show',
    );
  });
});

describe('every operation', () => {
  it.each(OPERATIONS.map(({ name, load }) => [name, load] as const))(
    '%s has a description, examples and described fields',
    async (name, load) => {
      const operation = await load();
      expect(operation.name).toBe(name);
      expect(operation.description).toMatch(/\.$/);
      expect(operation.examples.length).toBeGreaterThan(0);
      for (const { name: field, schema } of inputFields(operation)) {
        expect(field).toMatch(/^[a-z][a-z_]*$/);
        expect(schema.description, field).toMatch(/\.$/);
      }
      for (const { input } of operation.examples) expect(() => parseInput(operation, input)).not.toThrow();
      expect(errorMessage(() => parseInput(operation, { no_such_field: 1 }))).toContain(
        'unknown field no_such_field',
      );
    },
  );
});
