import { describe, expect, it } from 'vitest';
import type { GetOutput } from '../../../../engine/records/get.ts';
import { makeStyle } from '../../format/style.ts';
import { get } from './read.ts';

const view = { style: makeStyle(false), columns: 100, terminal: false, options: new Set<string>() };
const record: GetOutput = {
  id: 1,
  uuid: 'u',
  citation: 'record/1',
  title: 'Paint',
  text: 'x',
  lines: { from: 1, to: 1, total: 1 },
  origin: 'memory',
  source: 'cli',
  from: null,
  source_name: 'cli',
  trust: 'operator',
  path: null,
  project: 'default',
  category: 'general',
  record_type: 'fact',
  tags: [],
  created_at: '2026-09-14T12:00:00.000Z',
  expires_at: null,
  updated_at: '2026-09-14T00:00:00.000Z',
  age: '2d ago',
  links: [],
  backlinks: [],
  metadata: {},
};

describe('get', () => {
  it.each([
    [1, 1, 1, '1 line'],
    [1, 2, 2, '2 lines'],
    [14, 14, 19, 'line 14 of 19'],
    [3, 9, 19, 'lines 3–9 of 19'],
  ])('shows lines %i to %i of %i as %j', (from, to, total, expected) => {
    const [, details] = get.render({ ...record, lines: { from, to, total } }, view).split('\n');
    expect(details).toBe(`From memory (cli) · 2026-09-14 (2d ago) · project default · ${expected}`);
  });

  it('shows what a note links to and what links to it', () => {
    const links = [
      { target: 'Oven', path: 'House/Oven.md' },
      { target: 'Nowhere', path: null },
    ];
    const lines = get.render({ ...record, links, backlinks: ['Home.md', 'Plans.md'] }, view).split('\n');
    expect(lines).toContain('links: Oven, Nowhere (no such note)');
    expect(lines).toContain('linked from: Home.md, Plans.md');
  });

  it('breaks neither the paths of notes nor URLs', () => {
    const paths = ['Home/Kitchen remodel.md', 'Work/Heron review of autumn.md', 'Trips/Hakodate by train.md'];
    const url = `https://example.org/${'long/'.repeat(20)}`;
    const narrow = { ...view, columns: 40 };
    const lines = get.render({ ...record, backlinks: paths, url }, narrow).split('\n');
    expect(lines).toContain('linked from: Home/Kitchen remodel.md,');
    for (const path of paths) expect(lines.filter((line) => line.includes(path))).toHaveLength(1);
    expect(lines).toContain(url);
  });

  it('shows the line and the URL of a source, escaped for a terminal', () => {
    const from = 'From Google Tasks · due tomorrow · 3 min ago';
    const todo = { ...record, origin: 'source', from, url: 'https://x/\u001b[2J' } as const;
    const [, details, url] = get.render(todo, view).split('\n');
    expect(details).toBe(`${from} · 2026-09-14 (2d ago) · project default · 1 line`);
    expect(url).toBe('url: https://x/␛[2J');
  });

  it('shows the path of a note, but not the key of a fact twice', () => {
    const header = (overrides: Partial<GetOutput>) =>
      get
        .render({ ...record, ...overrides }, view)
        .split('\n')
        .slice(0, 2);
    expect(header({ path: 'Home/Paint.md' })).toEqual(['Paint', 'Home/Paint.md']);
    expect(header({ path: 'Paint', origin: 'fact', trust: 'agent' })).toEqual([
      'Paint',
      expect.stringMatching(/^From facts \(cli, agent\) · /),
    ]);
  });
});
