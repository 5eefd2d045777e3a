import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentIds, areConversationsRemembered, extraPaths, namespaceOf } from './agents.ts';

it('agents have the ids that the host uses, not those of its configuration', () => {
  expect(agentIds({ agents: { entries: { Work: {}, 'My Agent': {} } } })).toEqual(['work', 'my-agent']);
  expect(agentIds({ agents: { list: [{ id: 'Ada' }] } })).toEqual(['ada']);
  expect(agentIds({})).toEqual(['main']);
  expect(namespaceOf('work', { Work: { namespace: 'shared' } })).toBe('shared');
  expect(namespaceOf('Work')).toBe('agent:work');
  expect(namespaceOf('__proto__', {})).toBe('agent:__proto__');
});

it('further paths of memory start at the workspace or at the home folder, each once', () => {
  const config = {
    memory: { search: { extraPaths: ['~/notes', 'docs', { path: '/srv/x', pattern: '*.md' }, '/ws/docs'] } },
    agents: { entries: { Work: { memory: { search: { extraPaths: [{ path: '/srv/work' }] } } } } },
  };
  expect(extraPaths(config, 'work', '/ws')).toEqual([
    { path: join(homedir(), 'notes') },
    { path: '/ws/docs' },
    { path: '/srv/x', pattern: '*.md' },
    { path: '/srv/work' },
  ]);
});

it.each([
  [true, {}],
  [true, { session: { dmScope: 'main' } }],
  [false, { session: { dmScope: 'per-peer' } }],
  [false, { bindings: [{ agentId: 'main', session: { dmScope: 'per-peer' } }] }],
  [true, { session: { dmScope: 'per-peer' }, memory: { search: { rememberAcrossConversations: true } } }],
  [false, { memory: { search: { rememberAcrossConversations: false } } }],
  [true, { memory: { search: { rememberAcrossConversations: false } }, agents: entries(true) }],
  [false, { agents: entries(false) }],
])('%s: the host remembers conversations with %j', (expected, config) => {
  expect(areConversationsRemembered(config, 'Main')).toBe(expected);
});

function entries(rememberAcrossConversations: boolean) {
  return { entries: { main: { memory: { search: { rememberAcrossConversations } } } } };
}
