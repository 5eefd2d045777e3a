import { describe, expect, it } from 'vitest';
import { messageOfUser } from './recall.ts';

const USER = { trigger: 'user' } as const;

describe('the message of the user in a turn', () => {
  it('is the current message, and not the prompt that the host has made of it', () => {
    const event = { prompt: '[Wed] What about the oven?', currentUserMessage: 'What about the oven?' };
    expect(messageOfUser(event, USER)).toBe('What about the oven?');
  });

  it('has none of what was recalled before', () => {
    const recalled = '<loci-recall id="0123456789abcdef">\nsecret\n</loci-recall id="0123456789abcdef">\n';
    expect(messageOfUser({ prompt: `${recalled}What about the oven?` }, USER)).toBe('What about the oven?');
  });

  it.each([
    ['a heartbeat', { trigger: 'heartbeat' }],
    ['a schedule', { trigger: 'cron' }],
    ['another session', { trigger: 'user', inputProvenance: { kind: 'inter_session' } }],
    ['a subagent', { trigger: 'user', sessionKey: 'agent:main:subagent:1' }],
    ['a turn without a known trigger', {}],
  ])('does not exist for %s', (_, turn) => {
    expect(messageOfUser({ prompt: 'What about the oven?' }, turn)).toBeNull();
  });

  it('does not exist for an image alone, or for a word', () => {
    expect(messageOfUser({ prompt: 'History of the oven', currentUserMessage: '' }, USER)).toBeNull();
    expect(messageOfUser({ prompt: 'yes' }, USER)).toBeNull();
  });
});
