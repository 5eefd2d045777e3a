import { describe, expect, it } from 'vitest';
import type { AuditOutput } from '../../../engine/audit/read-audit.ts';
import { makeStyle } from '../format/style.ts';
import { textWidth } from '../format/text-width.ts';
import { audit } from './audit.ts';
import type { View } from './operation-command.ts';

type Entry = AuditOutput['entries'][number];

const view: View = { style: makeStyle(false), columns: 60, terminal: false, options: new Set<string>() };
const verbose: View = { ...view, options: new Set(['verbose']) };
const TIME = '2026-11-22 09:15:53';

function lines(overrides: Partial<Entry>, usedView: View = view, next: string | null = null): string[] {
  const entry: Entry = {
    seq: 7,
    at: new Date(TIME.replace(' ', 'T')).toISOString(),
    actor: 'ann',
    surface: 'mcp',
    session: null,
    action: 'update',
    subject: '0193',
    record: 2,
    diff: null,
    erased: false,
    chain: 'own',
    hash: 'abc',
    ...overrides,
  };
  return audit
    .render({ entries: [entry], next }, usedView)
    .trimEnd()
    .split('\n');
}

describe('audit', () => {
  it('prints a line for each entry, with its changes below', () => {
    expect(
      lines({
        diff: {
          title: { before: 'Paint', after: 'Worktop' },
          tags: { before: [], after: ['oak', 'kitchen'] },
          content: { patch: '@@ -1,1 +1,1 @@\n-Oak.\n+Oak,\u001b[2J oiled.\n\\ No newline at end of file\n' },
        },
      }),
    ).toEqual([
      `${TIME}  ann via mcp  update  record/2`,
      '    title: Paint → Worktop',
      '    tags: none → oak, kitchen',
      '    content:',
      '      @@ -1,1 +1,1 @@',
      '      -Oak.',
      '      +Oak,␛[2J oiled.',
    ]);
  });

  it('prints new fields', () => {
    const diff = { title: { after: 'Oak' }, reinforce: { after: true }, content: { characters: 9 } };
    expect(lines({ diff })).toEqual([
      `${TIME}  ann via mcp  update  record/2`,
      '    title: Oak',
      '    reinforce: true',
      '    content: 9 characters',
    ]);
  });

  it('names subjects that are not records, and says when a change was erased', () => {
    expect(lines({ record: null, subject: 'startup:soul' })).toEqual([
      `${TIME}  ann via mcp  update  startup:soul`,
    ]);
    expect(lines({ record: null, subject: null })).toEqual([`${TIME}  ann via mcp  update`]);
    expect(lines({ erased: true })[1]).toBe('    the change was erased when the record was purged');
  });

  it('cuts long changes unless --verbose is given', () => {
    const patch = ['@@ -1,1 +1,30 @@', ...Array.from({ length: 30 }, () => `+${'long '.repeat(30)}`)].join(
      '\n',
    );
    const diff = { title: { before: 'a '.repeat(90), after: 'b' }, content: { patch } };
    const short = lines({ diff });
    expect(short.at(-1)).toBe('      … and 21 more; --verbose shows all');
    expect(Math.max(...short.map(textWidth))).toBeLessThanOrEqual(60);
    const long = lines({ diff }, verbose);
    expect(long.filter((line) => line.startsWith('      +long'))).toHaveLength(30);
    expect(long.slice(-2)).toEqual(['    entry 7 of own', '    hash abc']);
  });

  it('shows changes of unknown shape as JSON', () => {
    expect(lines({ diff: { list: [1, null], a: { b: { c: 2 } }, s: 'x' } }).slice(1)).toEqual([
      '    list: 1, none',
      '    a: {"b":{"c":2}}',
      '    s: x',
    ]);
  });

  it('colours removed and added lines', () => {
    const diff = { content: { patch: '@@ -1,1 +1,1 @@\n-a\n+b\n' } };
    const coloured = lines({ diff }, { ...view, style: makeStyle(true) });
    expect(coloured.slice(-2)).toEqual(['      \u001b[31m-a\u001b[39m', '      \u001b[32m+b\u001b[39m']);
  });

  it('names the next page, and says if there are no entries', () => {
    expect(lines({}, view, '1/x/7').at(-1)).toBe('`--after 1/x/7` shows the next page');
    expect(audit.render({ entries: [], next: null }, view)).toMatch(/^No matching entries/);
  });
});
