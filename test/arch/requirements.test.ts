import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Proof, PROOFS, REQUIREMENT_IDS } from '../requirements.ts';
import { readSource, ROOT } from './source-files.ts';

/** `it('name'`, or the title after the rows of `it.each`. `it.skip` and `it.todo` prove nothing. */
function containsTest(source: string, name: string): boolean {
  const written = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?:\\bit(?:\\.concurrent)?\\(|\\)\\()\\s*(['"\`])${written}\\1`).test(source);
}

function faultOf(id: string, { file, test }: Proof): string[] {
  if (!existsSync(ROOT + file)) return [`${id}: ${file} does not exist`];
  return containsTest(readSource(file), test) ? [] : [`${id}: ${file} holds no test "${test}"`];
}

describe('the requirements manifest', () => {
  it('knows every id it claims, and every claimed test exists', () => {
    const claims = Object.entries(PROOFS);
    expect(claims.length).toBeGreaterThan(0);
    expect(claims.map(([id]) => id).filter((id) => !REQUIREMENT_IDS.includes(id))).toEqual([]);
    expect(claims.flatMap(([id, proofs]) => (proofs.length === 0 ? [`${id}: no test`] : []))).toEqual([]);
    expect(claims.flatMap(([id, proofs]) => proofs.flatMap((proof) => faultOf(id, proof)))).toEqual([]);
  });

  it('refuses a claim on a test that is absent or skipped', () => {
    expect(containsTest("it('works', () => {", 'works')).toBe(true);
    expect(containsTest("it.each([\n [1],\n])(\n 'works (%i)', () => {", 'works (%i)')).toBe(true);
    expect(containsTest("it.skip('works', () => {", 'works')).toBe(false);
    expect(containsTest("describe('works', () => {", 'works')).toBe(false);
    expect(containsTest("it('works not', () => {", 'works')).toBe(false);
    expect(faultOf('R1', { file: 'test/none.test.ts', test: 'x' })).toHaveLength(1);
  });
});
