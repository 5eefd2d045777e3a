import { describe, expect, it } from 'vitest';
import { searchRun } from '../../../test/contract/search-run.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import type { Metadata } from '../../core/types.ts';
import type { SearchRun } from '../run.ts';
import { boostsOf, dayStartOf, sessionOf, type Boost } from './boosts.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING } from './ranking.ts';

const DAY = 86_400_000;
const MAY_3 = Date.UTC(2026, 4, 3);

function boosts(
  query: string,
  metadata: Metadata,
  options: Partial<Pick<SearchRun, 'dates' | 'ranking'>> & {
    title?: string;
    sessions?: ReadonlyMap<string, number>;
  } = {},
): Boost[] {
  const { title = '', sessions = new Map<string, number>(), ...run } = options;
  const passage = storedPassage({ record: { title, metadata, createdAt: MAY_3 } });
  return boostsOf(passage, searchRun(query, { dates: [], ...run }), sessions);
}

describe('boostsOf', () => {
  it('boosts a record whose date is in a range of the query, whose end is exclusive', () => {
    const dated = (from: number, until: number, metadata: Metadata = {}): string[] =>
      boosts('oven', metadata, { dates: [{ text: '', from, until, relative: false }] }).map(
        ({ name }) => name,
      );
    expect(dated(MAY_3, MAY_3 + DAY)).toEqual(['date']);
    expect(dated(MAY_3 - DAY, MAY_3)).toEqual([]);
    expect(dated(MAY_3, MAY_3 + DAY, { date: '2026-07-01' })).toEqual([]);
    expect(dated(MAY_3, MAY_3 + DAY, { date: 'someday' })).toEqual(['date']);
  });

  it('boosts a record in a relative date range more if it matches the rest of the query, and less if its only date is that of its file', () => {
    const dates = [{ text: 'last week', from: MAY_3 - DAY, until: MAY_3 + DAY, relative: true }];
    const added = (query: string, metadata: Metadata): number[] =>
      boosts(query, metadata, { dates, title: 'Words of an oven' }).map((boost) => boost.added);
    const share = DEFAULT_RANKING.relativeDateBoost;
    expect(added('last week', { date: '2026-05-03' })).toEqual([share]);
    expect(added('sink last week', { date: '2026-05-03' })).toEqual([share]);
    expect(added('oven last week', { date: '2026-05-03' })).toEqual([2 * share]);
    expect(added('oven last week', {})).toEqual([share]);
    expect(added('last week', {})).toEqual([share / 2]);
  });

  it('boosts turns of a speaker whom the query names', () => {
    expect(boosts('what did Zoë say', { speaker: 'Zoe' })).toEqual([{ name: 'speaker', added: 0.1 }]);
    expect(boosts('what did Zoë say', { speaker: 'Erik' })).toEqual([]);
    expect(boosts('what did Zoë say', { speaker: ['Zoe'] })).toEqual([]);
  });

  it('boosts turns of the user, and sessions by how good they are', () => {
    const sessions = new Map([
      ['s1', 1],
      ['7', 0.25],
    ]);
    expect(boosts('oven', { role: 'user', session: 's1' }, { sessions })).toEqual([
      { name: 'session', added: 0.1 },
      { name: 'user', added: 0.45 },
    ]);
    expect(boosts('oven', { role: 'assistant', session: 7 }, { sessions })).toEqual([
      { name: 'session', added: 0.025 },
    ]);
  });

  it('boosts a record whose whole title or alias is in the query', () => {
    const titled = [{ name: 'title', added: 0.1 }];
    expect(boosts('when is the heat pump serviced', {}, { title: 'Heat pumps' })).toEqual(titled);
    expect(boosts('the pump', {}, { title: 'Heat pump' })).toEqual([]);
    expect(boosts('about Vaillant', { aliases: ['Boiler', 'Vaillant'] }, { title: 'Heat pump' })).toEqual(
      titled,
    );
    expect(boosts('番茄炒蛋怎么做', {}, { title: '番茄炒蛋' })).toEqual(titled);
    expect(boosts('oven', { aliases: [7, null] }, { title: '…' })).toEqual([]);
  });

  it('adds nothing in the classic ranking', () => {
    const everything = { role: 'user', speaker: 'Zoe', session: 's' };
    const sessions = new Map([['s', 1]]);
    expect(boosts('Zoe', everything, { title: 'Zoe', ranking: CLASSIC_RANKING, sessions })).toEqual([]);
  });
});

describe('dayOf and sessionOf', () => {
  it('return the date or else the time of the record, and a session that is text or a number', () => {
    // Dates are in local time.
    const day = dayStartOf(storedPassage({ record: { createdAt: 5, metadata: { date: '2026-05-03' } } }));
    expect(day).toBe(new Date(2026, 4, 3).getTime());
    expect(dayStartOf(storedPassage({ record: { createdAt: 5 } }))).toBe(5);
    const session = (value: Metadata[string]): string | null =>
      sessionOf(storedPassage({ record: { metadata: { session: value } } }));
    expect([session('a'), session(7), session(null), session({}), session(true)]).toEqual([
      'a',
      '7',
      null,
      null,
      null,
    ]);
  });
});
