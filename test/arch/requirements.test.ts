import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROOFS, REQUIREMENT_IDS } from '../requirements.ts';
import { readSource, ROOT } from './source-files.ts';

/** Whether a file contains `it('name'`, or `it.each` with this name. `it.skip` and `it.todo` prove nothing. */
function containsTest(source: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?:\\bit(?:\\.concurrent)?\\(|\\)\\()\\s*(['"\`])${escaped}\\1`).test(source);
}

function faultOf(id: string, proof: string): string[] {
  const [file = '', test = ''] = proof.split(/ > (.*)/);
  if (!existsSync(ROOT + file)) return [`${id}: ${file} does not exist`];
  return containsTest(readSource(file), test) ? [] : [`${id}: ${file} contains no test "${test}"`];
}

describe('the requirements manifest', () => {
  it('names only existing requirements and tests', () => {
    const entries = Object.entries(PROOFS);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.map(([id]) => id).filter((id) => !REQUIREMENT_IDS.includes(id))).toEqual([]);
    expect(entries.flatMap(([id, proofs]) => (proofs.length === 0 ? [`${id}: no test`] : []))).toEqual([]);
    expect(entries.flatMap(([id, proofs]) => proofs.flatMap((proof) => faultOf(id, proof)))).toEqual([]);
  });

  it('rejects tests that are missing or skipped', () => {
    expect(containsTest("it('works', () => {", 'works')).toBe(true);
    expect(containsTest("it.each([\n [1],\n])(\n 'works (%i)', () => {", 'works (%i)')).toBe(true);
    expect(containsTest("it.skip('works', () => {", 'works')).toBe(false);
    expect(containsTest("describe('works', () => {", 'works')).toBe(false);
    expect(containsTest("it('also works', () => {", 'works')).toBe(false);
    expect(faultOf('R1', 'test/none.test.ts > x')).toHaveLength(1);
  });
});
