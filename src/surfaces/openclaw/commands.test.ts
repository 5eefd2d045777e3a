import { describe, expect, it } from 'vitest';
import { takeAgent } from './commands.ts';

describe('the agent of a command', () => {
  it.each([
    [['--agent', 'work', 'search', 'oven'], { agent: 'work', rest: ['search', 'oven'] }],
    [['search', 'oven', '--agent=work', '--json'], { agent: 'work', rest: ['search', 'oven', '--json'] }],
    [['search', 'oven'], { rest: ['search', 'oven'] }],
    [['search', '--agent'], { rest: ['search'] }],
  ])('%j', (words, expected) => {
    expect(takeAgent(words)).toEqual(expected);
  });
});
