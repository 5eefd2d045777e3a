import { expect, it } from 'vitest';
import { privateSessions, type SessionEntry } from './sessions.ts';

const external = (chatType: string) => ({ kind: 'external', origin: { chatType } });

it.each<[isPrivate: boolean, key: string, entry: SessionEntry]>([
  [true, 'agent:main:direct:ada', {}],
  [true, 'agent:main:telegram:dm:1', {}],
  [true, 'agent:main:main', { chatType: 'direct' }],
  [true, 'agent:main:main', { delivery: external('direct') }],
  [true, 'agent:main:explicit:notes', { chatType: 'direct' }],
  // Nothing says that it is one of a single person.
  [false, 'agent:main:main', {}],
  [false, 'agent:main:main', { delivery: { kind: 'none' } }],
  [false, 'agent:main:explicit:notes:direct:1', {}],
  [false, 'agent:main:telegram:group:1', {}],
  [false, 'agent:main:telegram:group:1', { chatType: 'direct' }],
  [false, 'agent:main:discord:channel:1', {}],
  [false, 'agent:main:direct:ada', { chatType: 'group' }],
  [false, 'agent:main:direct:ada', { chatType: 'direct', delivery: external('channel') }],
  [false, 'agent:main:direct:ada:subagent:1', {}],
  [false, 'agent:main:cron:daily:direct:1', {}],
  [false, 'agent:main:direct:ada:active-memory:0123456789ab', {}],
  [false, 'agent:main:direct:ada', { spawnedBy: 'agent:main:main' }],
  [false, 'agent:main:direct:ada', { pluginOwnerId: 'active-memory' }],
  [false, 'agent:main:direct:ada', { hookExternalContentSource: 'gmail' }],
  [false, 'agent:work:direct:ada', {}],
  [false, 'agent:main:global', { chatType: 'direct' }],
  [false, 'global', { chatType: 'direct' }],
])('%s: %s with %j is a private session of the agent main', (isPrivate, key, entry) => {
  expect(privateSessions('main', { [key]: { sessionId: 's', ...entry } }).has(key)).toBe(isPrivate);
});

it('a session is not private if its transcript is also that of a group', () => {
  const entries = {
    'agent:main:direct:ada': { sessionId: '1' },
    'agent:main:direct:bob': { sessionId: '2' },
    'agent:main:telegram:group:1': { sessionId: '1' },
  };
  expect([...privateSessions('main', entries)]).toEqual(['agent:main:direct:bob']);
});
