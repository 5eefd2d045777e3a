import { expect, it } from 'vitest';
import { RecentTurns, turnOf } from './turn.ts';

it('a turn without a sender is one of the owner, and one of somebody else is not', () => {
  expect(turnOf({}).isOwner).toBe(true);
  expect(turnOf({ senderIsOwner: true }).isOwner).toBe(true);
  expect(turnOf({ agentId: 'kids', senderIsOwner: false, sandboxed: true })).toEqual({
    agent: 'kids',
    isOwner: false,
    isSandboxed: true,
  });
});

it('the last turn of a session holds, and its model stays known', () => {
  const turns = new RecentTurns();
  turns.note({ sessionKey: 's', senderIsOwner: true, activeModel: { modelId: 'opus' } });
  turns.note({ sessionKey: 's', senderIsOwner: false });
  expect([turns.of('s')?.isOwner, turns.modelOf('s')]).toEqual([false, 'opus']);
  expect(turns.of('another')).toBeUndefined();
});

it('the session that was quiet for the longest time is forgotten first', () => {
  const turns = new RecentTurns();
  for (let i = 0; i < 10_000; i++) turns.note({ sessionKey: String(i) });
  turns.note({ sessionKey: '0' });
  turns.note({ sessionKey: 'new' });
  expect([turns.of('0') === undefined, turns.of('1') === undefined]).toEqual([false, true]);
});

it('a session stays one of somebody else, or in a sandbox, whatever turn comes next', () => {
  const turns = new RecentTurns();
  turns.note({ sessionKey: 's', senderIsOwner: false });
  turns.note({ sessionKey: 's', senderIsOwner: true, sandboxed: true });
  turns.note({ sessionKey: 's', senderIsOwner: true });
  expect(turns.of('s')).toEqual({ agent: 'main', isOwner: false, isSandboxed: true });
});
