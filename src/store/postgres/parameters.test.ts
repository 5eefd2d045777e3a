import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoded, decodedJson, encoded, statementOf } from './parameters.ts';

describe('a statement', () => {
  it('has numbered parameters with the types of their values, each once', () => {
    const { text, values } = statementOf(
      "SELECT ':no', a::text FROM t WHERE a = :a AND b > :b AND c < :half AND d = :a AND e IS NOT DISTINCT FROM :none AND f = ANY(:list)",
      { a: 'x', b: 2, half: 0.5, none: null, list: [1, 2] },
    );
    expect(text).toBe(
      "SELECT ':no', a::text FROM t WHERE a = $1::text AND b > $2::bigint AND c < $3::float8 AND d = $1::text AND e IS NOT DISTINCT FROM NULL AND f = ANY($4)",
    );
    expect(values).toEqual(['x', 2, 0.5, [1, 2]]);
  });

  it('has rows as JSON, with bytes as PostgreSQL reads them', () => {
    const { text, values } = statementOf(
      'SELECT * FROM jsonb_to_recordset(:rows::jsonb) AS r(a text, b bytea)',
      {
        rows: [{ a: 'x\0', b: Uint8Array.of(1, 255) }],
      },
    );
    expect(text).toContain('jsonb_to_recordset($1::jsonb)');
    expect(JSON.parse(String(values[0]))).toEqual([{ a: encoded('x\0'), b: '\\x01ff' }]);
  });
});

describe('a text', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('\0', '\\', 'u0000', '\\u0000', '\u{10fffe}', '0', '1', '2', 'a') }),
  );

  it('is stored without U+0000 and read as it was', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(encoded(text)).not.toContain('\0');
        expect(decoded(encoded(text))).toBe(text);
      }),
    );
  });

  it('that is JSON is stored as JSON without the escape of U+0000', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const json = JSON.stringify({ text });
        const stored = encoded(json);
        expect(JSON.parse(stored)).toHaveProperty('text');
        expect(stored.replaceAll('\\\\', '')).not.toContain('\\u0000');
        expect(decoded(stored)).toBe(json);
      }),
    );
  });

  it('is also read from JSON that the database makes of stored texts', () => {
    fc.assert(
      fc.property(texts, texts, (text, inner) => {
        const values = [text, JSON.stringify({ inner })];
        expect(JSON.parse(decodedJson(JSON.stringify(values.map(encoded))))).toEqual(values);
      }),
    );
  });
});
