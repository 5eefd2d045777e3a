import { expect, it } from 'vitest';
import { wantsWiki } from './wiki.ts';

const recall = (corpus: string) => ({
  recall: { anchorSessionKey: 's', scope: 'same-agent-private', corpus },
});

it.each([
  ['only', 'wiki', {}],
  ['too', 'all', {}],
  ['not', 'sessions', {}],
  ['not', undefined, {}],
  ['only', 'wiki', recall('configured')],
  ['not', 'wiki', recall('sessions')],
  ['not', 'all', recall('sessions')],
])('wikis are asked (%s) with the corpus %s in %j', (expected, corpus, turn) => {
  expect(wantsWiki({ query: 'oven', corpus }, turn)).toBe(expected);
});
