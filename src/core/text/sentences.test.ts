import { describe, expect, it } from 'vitest';
import { sentencesOf } from './sentences.ts';

describe('sentencesOf', () => {
  it.each([
    ['The oven comes in May. It needs 400 V!', ['The oven comes in May.', 'It needs 400 V!']],
    [
      'He said "wait." Then he left (at last.) So we did.',
      ['He said "wait."', 'Then he left (at last.)', 'So we did.'],
    ],
    ['Version 2.5 is on example.org today', ['Version 2.5 is on example.org today']],
    ['烤箱五月到。「太晚了！」她说', ['烤箱五月到。', '「太晚了！」', '她说']],
    ['# Oven\n- [ ] order it\n2. pay it\n> * later', ['Oven', 'order it', 'pay it', 'later']],
    ['42.\n---\n\n', []],
  ])('cuts %j', (text, sentences) => expect(sentencesOf(text)).toEqual(sentences));
});
