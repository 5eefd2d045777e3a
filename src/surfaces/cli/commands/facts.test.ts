import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../operations/facts/fact-fields.ts';
import { makeStyle } from '../format/style.ts';
import { textWidth } from '../format/text-width.ts';
import {
  factCategoriesRenderer,
  factForgetRenderer,
  factListRenderer,
  factRecallRenderer,
  factStoreRenderer,
} from './facts.ts';
import type { View } from './operation-command.ts';

const view: View = { style: makeStyle(false), columns: 60, terminal: false, options: new Set<string>() };
const HOUR = 3_600_000;

/** A time so many hours from now, and half of one more. */
function hours(count: number): string {
  return new Date(Date.now() + (count + Math.sign(count) * 0.5) * HOUR).toISOString();
}

function fact(given: Partial<Fact> = {}): Fact {
  return {
    id: 3,
    key: 'framework',
    value: 'React,\nwith TypeScript',
    category: 'user_facts',
    tags: ['web'],
    trust: 'operator',
    stored_at: hours(-72),
    expires_at: hours(48),
    ...given,
  };
}

describe('fact store', () => {
  it('says what became of it, and how long it is kept', () => {
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
    const first = (given: Partial<typeof stored>) => factStoreRenderer.render({ ...stored, ...given }, view);
    expect(first({})).toMatch(/^Stored framework in user_facts; kept until (19|20|21) February 2099\.\n$/);
    expect(first({ replaced: true })).toContain('in the place of its former value; kept');
    expect(first({ replayed: true })).toMatch(/^Stored before: framework in user_facts, under the same/);
    expect(factStoreRenderer.notices?.(stored)).toEqual([]);
  });
});

describe('fact recall', () => {
  it('tells the value, and on one line what is known of it', () => {
    expect(factRecallRenderer.render(fact({ trust: 'agent' }), view)).toBe(
      'framework\nuser_facts · agent · stored 3d ago · 2d left · #web\n\nReact,\nwith TypeScript\n',
    );
  });

  it('gives the value alone, as it is, and to a terminal what it may not obey', () => {
    const plain = { ...view, options: new Set(['plain']) };
    const value = 'a\u001b[31mb';
    expect(factRecallRenderer.render(fact({ value }), plain)).toBe(`${value}\n`);
    expect(factRecallRenderer.render(fact({ value }), { ...plain, terminal: true })).toBe('a␛[31mb\n');
    expect(factRecallRenderer.render(fact({ value }), view)).not.toContain('\u001b');
  });
});

describe('fact list', () => {
  const list = (facts: Fact[], given = {}) =>
    factListRenderer.render({ facts, total: facts.length, next: null, ...given }, view).split('\n');

  it('aligns key, value, age and time left; shelf and trust only where they differ', () => {
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

  it('stays within the columns, on one line a fact, whatever was stored', () => {
    const wild = fact({
      key: 'k'.repeat(300),
      value: `${'v'.repeat(9000)}\n\u001b]0;x`,
      category: 'c'.repeat(100),
    });
    const lines = list([wild, fact()]);
    expect(lines).toHaveLength(5);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(view.columns);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('says how to go on, and what to do where there is nothing', () => {
    expect(list([fact()], { total: 7, next: 3 }).at(-2)).toBe('1 of 7 facts; `--after 3` goes on from here');
    expect(list([])).toEqual(['No facts are stored here; `loci fact store KEY VALUE` keeps one.', '']);
  });
});

describe('fact forget', () => {
  it('names what went and how it comes back', () => {
    const facts = [
      { id: 3, key: 'framework', category: 'user_facts' },
      { id: 12, key: 'os', category: 'home' },
    ];
    const render = (forgotten: number, named: typeof facts) =>
      factForgetRenderer.render({ forgotten, facts: named }, view);
    expect(render(0, [])).toBe('No fact fits; nothing was forgotten.\n');
    expect(render(1, facts.slice(0, 1))).toBe(
      'Forgot framework in user_facts. `loci undelete 3` brings it back.\n',
    );
    expect(render(120, facts).split('\n')).toEqual([
      'Forgot 120 facts; `loci undelete ID` brings one back:',
      '  3   framework  user_facts',
      '  12  os         home',
      '  … and 118 more',
      '',
    ]);
  });
});

describe('fact categories', () => {
  it('counts each and names its latest keys', () => {
    const categories = [
      { name: 'home', count: 1, recent_keys: ['os'] },
      { name: 'user_facts', count: 12, recent_keys: ['a\u001bb', 'c'] },
    ];
    expect(factCategoriesRenderer.render({ categories, note: '' }, view)).toBe(
      'home        1 fact    os\nuser_facts  12 facts  a␛b, c\n',
    );
    expect(factCategoriesRenderer.render({ categories: [], note: '' }, view)).toContain('loci fact store');
  });
});
