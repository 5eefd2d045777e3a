import { describe, expect, it } from 'vitest';
import type { Origin, Trust } from '../../../../core/types.ts';
import { originText } from './provenance.ts';

describe('originText', () => {
  it.each([
    ['vault', 'notes', 'operator', 'vault notes'],
    ['vault', 'vault', 'operator', 'vault'],
    ['vault', 'team', 'external', 'vault team (external)'],
    ['source', 'Google Tasks', 'external', 'Google Tasks (external)'],
    ['memory', 'cli', 'operator', 'memory (cli)'],
    ['memory', 'mcp', 'agent', 'memory (mcp, agent)'],
    ['fact', 'rest', 'agent', 'facts (rest, agent)'],
    ['audit', 'engine', 'agent', 'the audit log (agent)'],
    ['source', 'a\u001b]0;b', 'operator', 'a␛]0;b'],
  ] satisfies [Origin, string, Trust, string][])('%s %j of %s is %j', (origin, source, trust, expected) => {
    expect(originText({ origin, source, trust })).toBe(expected);
  });
});
