import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../engine/facts/fact-fields.ts';
import { makeStyle } from '../format/style.ts';
import { textWidth } from '../format/text-width.ts';
import { factCategories, factForget, factList, factRecall, factStore } from './facts.ts';
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
  it('shows the value below one line of details', () => {
    expect(factRecall.render(fact({ trust: 'agent' }), view)).toBe(
      'framework\nuser_facts · agent · stored 3d ago · 2d left · #web\n\nReact,\nwith TypeScript\n',
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

describe('fact list', () => {
  const list = (facts: Fact[], overrides = {}) =>
    factList.render({ facts, total: facts.length, next: null, ...overrides }, view).split('\n');

  it('aligns key, value, age and time left, and shows category and trust only if they differ', () => {
    expect(list([fact(), fact({ key: 'os', value: 'Linux' })])).toEqual([
      'framework  React, with TypeScript  3d ago  2d left',
      'os         Linux                   3d ago  2d left',
      '',
      '2 facts',
      '',
    ]);
    expect(list([fact(), fact({ key: 'os', value: 'Linux', category: 'home', trust: 'agent' })])[1]).toBe(
      'os         home        agent  Linux          3d ago  2d left',
    );
  });

  it('prints one line for each fact within the columns, for any content', () => {
    const hostile = fact({
      key: 'k'.repeat(300),
      value: `${'v'.repeat(9000)}\n\u001b]0;x`,
      category: 'c'.repeat(100),
    });
    const lines = list([hostile, fact()]);
    expect(lines).toHaveLength(5);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(view.columns);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('names the next page, and what to do if there are no facts', () => {
    expect(list([fact()], { total: 7, next: 3 }).at(-2)).toBe(
      '1 of 7 facts; `--after 3` shows the next page',
    );
    expect(list([])).toEqual(['There are no facts; `loci fact store KEY VALUE` stores one.', '']);
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
    expect(render(1, facts.slice(0, 1))).toBe(
      'Forgot framework in user_facts. `loci undelete 3` restores it.\n',
    );
    expect(render(120, facts).split('\n')).toEqual([
      'Forgot 120 facts; `loci undelete ID` restores one:',
      '  3   framework  user_facts',
      '  12  os         home',
      '  … and 118 more',
      '',
    ]);
  });
});

describe('fact categories', () => {
  it('counts the facts of each category and names its latest keys', () => {
    const categories = [
      { name: 'home', count: 1, recent_keys: ['os'] },
      { name: 'user_facts', count: 12, recent_keys: ['a\u001bb', 'c'] },
    ];
    expect(factCategories.render({ categories, note: '' }, view)).toBe(
      'home        1 fact    os\nuser_facts  12 facts  a␛b, c\n',
    );
    expect(factCategories.render({ categories: [], note: '' }, view)).toContain('loci fact store');
  });
});
