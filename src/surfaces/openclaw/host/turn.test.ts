import { expect, it } from 'vitest';
import { RecentTurns, turnOf } from './turn.ts';

const SESSION = { sessionKey: 's', sessionId: 'id' };
const SUFFIX = ':active-memory:0123456789ab';

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
  turns.note({ ...SESSION, senderIsOwner: true, activeModel: { modelId: 'opus' } });
  turns.note({ ...SESSION, senderIsOwner: false });
  expect([turns.of(SESSION)?.isOwner, turns.modelOf('s'), turns.hasOwner('s')]).toEqual([
    false,
    'opus',
    true,
  ]);
  turns.note({ ...SESSION, senderIsOwner: true });
  expect(turns.of(SESSION)?.isOwner).toBe(true);
  expect([turns.of({ sessionKey: 'another' }), turns.of({}), turns.hasOwner('another')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('a call outside of any turn says nothing of a session', () => {
  const turns = new RecentTurns();
  turns.note({ sessionKey: 's', senderIsOwner: true });
  expect(turns.of(SESSION)).toBeUndefined();
});

it('the session that was quiet for the longest time is forgotten first', () => {
  const turns = new RecentTurns();
  for (let i = 0; i < 10_000; i++) turns.note({ ...SESSION, sessionKey: String(i) });
  turns.note({ ...SESSION, sessionKey: '0' });
  turns.note({ ...SESSION, sessionKey: 'new' });
  expect([turns.last('0') === undefined, turns.last('1') === undefined]).toEqual([false, true]);
});

it('a turn belongs to the sender on a channel and an account, or else to the conversation', () => {
  const place = { senderIsOwner: false, messageChannel: 'telegram', agentAccountId: 'bot' };
  const peers = [
    { ...place, requesterSenderId: '7' },
    { ...place, requesterSenderId: '8' },
    { ...place, nativeChannelId: '7' },
    { ...place, requesterSenderId: '7', messageChannel: 'discord' },
    { ...place, requesterSenderId: '7', agentAccountId: 'other' },
  ].map((context) => turnOf(context).peer);
  expect(new Set(peers).size).toBe(peers.length);
  expect(turnOf({ ...place, requesterSenderId: '7', nativeChannelId: 'group' }).peer).toBe(peers[0]);
  expect(turnOf(place)).not.toHaveProperty('peer');
});

it('a hook has no turn of another sender than the one that it names', () => {
  const turns = new RecentTurns();
  turns.note({ ...SESSION, messageChannel: 'telegram', requesterSenderId: 'ada', senderIsOwner: true });
  const of = (context: object): boolean | undefined => turns.of({ ...SESSION, ...context })?.isOwner;
  expect(of({ channel: 'telegram', senderId: 'ada' })).toBe(true);
  for (const context of [
    {},
    { channel: 'telegram', senderId: 'bob' },
    { channel: 'discord', senderId: 'ada' },
  ])
    expect(of(context)).toBeUndefined();
});

interface Context {
  readonly sessionKey: string;
  readonly recallFor?: string;
  readonly scope?: string;
}

it.each<[what: string, expected: string | undefined, context: Context]>([
  ['its own session', 'agent:main:s', { sessionKey: 'agent:main:s' }],
  [
    'that of the message that the host recalls for',
    'agent:main:s',
    { sessionKey: `agent:main:s${SUFFIX}`, recallFor: 'agent:main:s' },
  ],
  [
    'that of the message, of which the host passes the key',
    'agent:main:s',
    { sessionKey: 'agent:main:s', recallFor: 'agent:main:s' },
  ],
  ['no session, if somebody else has spoken there', undefined, { sessionKey: 'agent:main:guest' }],
  ['no session, if it has been in a sandbox', undefined, { sessionKey: 'agent:main:box' }],
  [
    'no session, if the message may be of somebody else',
    undefined,
    { sessionKey: `agent:main:guest${SUFFIX}`, recallFor: 'agent:main:guest' },
  ],
  [
    'no session, if the message is of somebody else after one of the owner',
    undefined,
    { sessionKey: `agent:main:mixed${SUFFIX}`, recallFor: 'agent:main:mixed' },
  ],
  [
    'no session, if a recall is for another one',
    undefined,
    { sessionKey: 'agent:main:t', recallFor: 'agent:main:s' },
  ],
  [
    'no session, if the recall is not one of the host',
    undefined,
    { sessionKey: 'agent:main:s:subagent:1', recallFor: 'agent:main:s' },
  ],
  [
    'no session, if the recall has another scope',
    undefined,
    { sessionKey: 'agent:main:s', recallFor: 'agent:main:s', scope: 'all' },
  ],
])('a call belongs to %s', (_, expected, { sessionKey, recallFor, scope = 'same-agent-private' }) => {
  const turns = new RecentTurns();
  for (const key of ['agent:main:s', 'agent:main:t', 'agent:main:mixed'])
    turns.note({ ...SESSION, sessionKey: key, senderIsOwner: true });
  for (const key of ['agent:main:guest', 'agent:main:mixed'])
    turns.note({ ...SESSION, sessionKey: key, senderIsOwner: false });
  turns.note({ ...SESSION, sessionKey: 'agent:main:box', sandboxed: true });
  const recall = recallFor && { anchorSessionKey: recallFor, scope, corpus: 'sessions' };
  const context = { sessionKey, ...(recall && { conversationRecall: recall }) };
  const turn = turns.ofCall(context, turnOf(context));
  expect(turn.ownSession).toBe(expected);
  // A recall has no sender of its own.
  if (recall) expect(turn.isOwner).toBe(expected !== undefined);
});
