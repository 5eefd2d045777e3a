import { describe, expect, it } from 'vitest';
import type { EvalSet } from '../sets.ts';
import { openFts5, openFts5OfSessions } from './fts5.ts';
import { openGrep } from './grep.ts';
import { queryWords } from './query-words.ts';

function setOf(texts: Readonly<Record<string, string>>): EvalSet {
  const docs = Object.entries(texts).map(([id, text]) => ({ id, text, note: false }));
  return { name: 'small', hash: '', root: '.', collections: [{ id: 'c', docs, queries: [] }] };
}

const KITCHEN = setOf({
  paint: 'The painters came on Monday.',
  oven: 'We decided on an induction oven; the oven comes in May.',
  both: 'The painter dropped the oven.',
  none: 'Nothing of the kind.',
});

describe('queryWords', () => {
  it('drops stop words and contractions, unless there are no other words', () => {
    expect(queryWords("What's the OVEN that we don't want, the oven?")).toEqual(['oven', 'want']);
    expect(queryWords('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
    expect(queryWords('?!')).toEqual([]);
  });
});

describe('fts5', () => {
  it('finds any of the stemmed words, ranked by BM25', async () => {
    const fts5 = openFts5(KITCHEN);
    expect((await fts5.rank('c', 'which oven does the painter like')).ids).toEqual(['both', 'oven', 'paint']);
    expect((await fts5.rank('c', 'NEAR("oven* AND -painter) NOT')).ids).toHaveLength(3);
    expect((await fts5.rank('c', '…')).ids).toEqual([]);
    await fts5.close();
  });

  it('searches speaker, caption and file name', async () => {
    const docs = [
      { id: 'turn', text: 'Look!', speaker: 'Melanie', caption: 'a sunset over a lake', note: false },
      { id: 'note', text: 'Bought.', path: 'Home/Heat pump.md', note: true },
    ];
    const fts5 = openFts5({ name: 'x', hash: '', root: '.', collections: [{ id: 'c', docs, queries: [] }] });
    expect((await fts5.rank('c', 'Melanie')).ids).toEqual(['turn']);
    expect((await fts5.rank('c', 'sunsets')).ids).toEqual(['turn']);
    expect((await fts5.rank('c', 'heat pump')).ids).toEqual(['note']);
    await fts5.close();
  });
});

describe('fts5 sessions', () => {
  it('gives the turns of the session that has most of the words, in their order', async () => {
    const turns = { a1: 'The oven is hot.', a2: 'The bread is in.', b1: 'An oven. An oven. An oven.' };
    const docs = Object.entries(turns).map(([id, text]) => ({ id, text, session: id[0]!, note: false }));
    const collections = [{ id: 'c', docs, queries: [] }];
    const sessions = openFts5OfSessions({ name: 'x', hash: '', root: '.', collections })!;
    expect((await sessions.rank('c', 'bread of the oven')).ids).toEqual(['a1', 'a2', 'b1']);
    await sessions.close();
    expect(openFts5OfSessions(KITCHEN)).toBeNull();
  });
});

describe('grep', () => {
  it('ranks by the number of distinct words found as substrings', async () => {
    const grep = openGrep(KITCHEN);
    expect((await grep.rank('c', 'Paint the OVEN')).ids).toEqual(['both', 'paint', 'oven']);
    expect((await grep.rank('c', 'oven oven oven')).ids).toEqual(['oven', 'both']);
    expect((await grep.rank('c', 'ovens')).ids).toEqual([]);
  });
});
