import { describe, expect, it } from 'vitest';
import { lastAnswer } from './conversation.ts';

describe('the last answer of a turn', () => {
  it('is the text of the last message of the agent, without its calls of tools', () => {
    const messages = [
      { role: 'user', content: 'Where is the stopcock?' },
      { role: 'assistant', content: [{ type: 'toolCall', name: 'memory_search' }] },
      { role: 'toolResult', content: [{ type: 'text', text: 'a result' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hmm' },
          { type: 'text', text: 'Under the stairs.' },
        ],
      },
      { role: 'user', content: 'Thanks' },
    ];
    expect(lastAnswer(messages)).toBe('Under the stairs.');
  });

  it('may be a plain text, and has nothing of what was recalled', () => {
    const recalled = '<loci-recall id="0123456789abcdef">\nsecret\n</loci-recall id="0123456789abcdef">\n';
    expect(lastAnswer([{ role: 'assistant', content: `${recalled}Under the stairs.` }])).toBe(
      'Under the stairs.',
    );
  });

  it.each([
    [[]],
    [[null, 7, 'text']],
    [[{ role: 'assistant' }]],
    [[{ role: 'assistant', content: [null, 3] }]],
  ])('is empty for %j', (messages) => {
    expect(lastAnswer(messages)).toBe('');
  });
});
