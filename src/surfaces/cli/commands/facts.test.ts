import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../engine/facts/fact-fields.ts';
import { makeStyle } from '../format/style.ts';
import { factForget, factRecall, factStore } from './facts.ts';
import type { View } from './operation-command.ts';

const view: View = { style: makeStyle(false), columns: 60, terminal: false, options: new Set<string>() };
const HOUR = 3_600_000;

/** A time `count` and a half hours from now. */
function hours(count: number): string {
  return new Date(Date.now() + (count + Math.sign(count) * 0.5) * HOUR).toISOString();
}

function fact(overrides: Partial<Fact> = {}): Fact {
  return {
    id: 3,
    key: 'framework',
    value: 'React,\nwith TypeScript',
    category: 'user_facts',
    tags: ['web'],
    trust: 'operator',
    stored_at: hours(-72),
    expires_at: hours(48),
    ...overrides,
  };
}

describe('fact store', () => {
  it('names the fact, what it replaced, and when it expires', () => {
    const stored = {
      id: 3,
      key: 'framework',
      category: 'user_facts',
      expires_at: '2099-02-20T12:00:00.000Z',
      replaced: false,
      embedded: true,
      why: null,
      masked: [],
      replayed: false,
    };
    const renderStored = (overrides: Partial<typeof stored>) =>
      factStore.render({ ...stored, ...overrides }, view);
    expect(renderStored({})).toMatch(
      /^Stored framework in user_facts; it expires on (19|20|21) February 2099\.\n$/,
    );
    expect(renderStored({ replaced: true })).toContain('and replaced its previous value; it expires');
    expect(renderStored({ replayed: true })).toMatch(
      /^Stored before: framework in user_facts, with the same/,
    );
    expect(factStore.warnings?.(stored)).toEqual([]);
  });
});

describe('fact recall', () => {
  it('shows the value below its details', () => {
    expect(factRecall.render(fact({ trust: 'agent' }), view)).toMatch(
      /^key +framework\ncategory +user_facts\ntags +web\ntrust +agent\nstored at [^]*\n\nReact,\nwith TypeScript\n$/,
    );
  });

  it('prints the value alone with --plain, and escapes it only for a terminal', () => {
    const plain = { ...view, options: new Set(['plain']) };
    const value = 'a\u001b[31mb';
    expect(factRecall.render(fact({ value }), plain)).toBe(`${value}\n`);
    expect(factRecall.render(fact({ value }), { ...plain, terminal: true })).toBe('a␛[31mb\n');
    expect(factRecall.render(fact({ value }), view)).not.toContain('\u001b');
  });
});

describe('fact forget', () => {
  it('names the forgotten facts and how to restore them', () => {
    const facts = [
      { id: 3, key: 'framework', category: 'user_facts' },
      { id: 12, key: 'os', category: 'home' },
    ];
    const render = (forgotten: number, named: typeof facts) =>
      factForget.render({ forgotten, facts: named }, view);
    expect(render(0, [])).toBe('No fact matches; nothing was forgotten.\n');
    expect(render(120, facts)).toBe(
      'id  key        category\n3   framework  user_facts\n12  os         home\n' +
        'Forgot 120 facts; `loci undelete ID` restores one of them.\n',
    );
  });
});
