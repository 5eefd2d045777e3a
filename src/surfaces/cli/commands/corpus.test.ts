import { describe, expect, it } from 'vitest';
import { makeStyle } from '../format/style.ts';
import { corpus } from './facts.ts';

const view = { style: makeStyle(false), columns: 40, terminal: false, options: new Set<string>() };

describe('corpus', () => {
  it('shows the path, the score and the first lines of each document', () => {
    const document = {
      docid: 'b111a2',
      path: 'facts/user_facts/frame\u001bwork',
      collection: 'facts' as const,
      score: 1,
      title: 'framework',
      snippet: `Vue.\n\n${'It goes on and on. '.repeat(20)}`,
      content: 'x',
      metadata: {},
    };
    const line = '  It goes on and on. It goes on and on.';
    const lines = corpus.render({ documents: [document, { ...document, snippet: 'Vue' }] }, view).split('\n');
    expect(lines.slice(0, 4)).toEqual(['facts/user_facts/frame␛work', 'b111a2 · score 1.00', '  Vue.', line]);
    expect(lines.slice(6)).toEqual(['  …', '', lines[0], lines[1], '  Vue', '']);
    expect(corpus.render({ documents: [] }, view)).toMatch(/^There are no facts/);
  });
});
