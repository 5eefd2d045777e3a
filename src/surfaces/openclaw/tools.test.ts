import { expect, it } from 'vitest';
import { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, Tool, ToolContext } from './host/api.ts';
import { registerTools } from './tools.ts';

const READ = ['memory_search', 'memory_get', 'memory_timeline', 'memory_list'];
const FACTS = ['memory_store', 'memory_forget'];
const RECORDS = ['memory_write', 'memory_update', 'memory_delete', 'memory_undelete'];
/** A turn has such an id, and a call of a tool outside of any turn has none. */
const TURN: ToolContext = { sessionId: 'id' };
const OWNER: ToolContext = { ...TURN, senderIsOwner: true };
const STRANGER: ToolContext = { ...TURN, senderIsOwner: false };
const BOB: ToolContext = { ...STRANGER, messageChannel: 'telegram', requesterSenderId: '7' };

/** The tools that the host offers in the last of several turns. */
function offered(pluginConfig: Record<string, unknown>, ...contexts: ToolContext[]): string[] {
  const factories: ((context: ToolContext) => Tool | null)[] = [];
  const api = {
    pluginConfig,
    runtime: { agent: { session: { getSessionEntry: () => ({ spawnedBy: 'agent:main:main' }) } } },
    registerTool: (factory: (typeof factories)[number]) => factories.push(factory),
  } as unknown as PluginApi;
  registerTools(api, new GatewayMemory('memory-loci', api));
  const names = contexts.map((context) => factories.flatMap((factory) => factory(context)?.name ?? []));
  return names.at(-1) ?? [];
}

it.each<[string, Record<string, unknown>, ToolContext, string[]]>([
  ['the owner', {}, OWNER, [...READ, ...FACTS]],
  [
    'the owner, if records may be written',
    { writes: { enabled: true } },
    OWNER,
    [...READ, ...FACTS, ...RECORDS],
  ],
  ['a schedule, which nobody has sent', {}, TURN, [...READ, ...FACTS]],
  ['a sandbox', {}, { ...OWNER, sandboxed: true }, READ],
  [
    'a sandbox that may write',
    { sandboxed: { write: true } },
    { ...TURN, sandboxed: true },
    [...READ, ...FACTS],
  ],
  ['somebody else', {}, STRANGER, []],
  ['somebody else who may read', { nonOwner: { read: 'agent' } }, STRANGER, READ],
  ['somebody else, with what is shared', { nonOwner: { shared: ['family'], write: true } }, STRANGER, READ],
  ['a sender with a memory', { nonOwner: { perSender: true } }, BOB, READ],
  [
    'a sender with a memory of their own',
    { nonOwner: { perSender: true, write: true } },
    BOB,
    [...READ, ...FACTS],
  ],
  ['somebody whom the host does not name', { nonOwner: { perSender: true, write: true } }, STRANGER, []],
])('%s is offered the tools that the turn may use, and no others', (_, config, context, names) => {
  expect(offered(config, context).toSorted()).toEqual(names.toSorted());
});

it('a call outside of any turn is answered, if only with why it gets nothing', () => {
  expect(offered({}, { senderIsOwner: false })).toEqual(expect.arrayContaining(READ));
});

it.each<[string, ToolContext[], string[]]>([
  ['the owner', [OWNER], [...READ, ...FACTS]],
  ['the owner, since whom the host or somebody unknown has spoken', [OWNER, STRANGER], []],
  ['somebody whom the host does not name', [STRANGER], []],
  ['a sender, even if the owner speaks before it begins', [BOB, OWNER], []],
  ['a session that is not known', [], []],
])(
  'a subagent may do what everybody may who has spoken in the session that started it: %s',
  (_, starters, names) => {
    const turns = starters.map((context) => ({ ...context, sessionKey: 'agent:main:main', sessionId: 'id' }));
    // The host says that no subagent is of the owner.
    const subagent = { ...STRANGER, sessionKey: 'agent:main:subagent:1' };
    expect(offered({}, ...turns, subagent).toSorted()).toEqual(names.toSorted());
  },
);

it.each<[string, ToolContext[], string[]]>([
  ['the owner', [OWNER], [...READ, ...FACTS]],
  ['somebody else', [OWNER, STRANGER], []],
  ['nobody who is known', [], []],
])('the recall of the host for a message may do what its sender may: %s', (_, senders, names) => {
  const turns = senders.map((context) => ({ ...context, sessionKey: 'agent:main:main' }));
  const recall = { ...TURN, sessionKey: 'agent:main:main:active-memory:0123456789ab' };
  expect(offered({}, ...turns, recall).toSorted()).toEqual(names.toSorted());
});

it.each<[string, ToolContext]>([
  ['a guest', STRANGER],
  ['a sender on a channel', BOB],
])('%s cannot pass for the recall of the host by the name of a session', (_, context) => {
  const owner = { ...OWNER, sessionKey: 'agent:main:main' };
  const forged = { ...context, sessionKey: 'agent:main:main:active-memory:0123456789ab' };
  expect(offered({}, owner, forged)).toEqual([]);
});

it('a subagent of a session has nothing while it is not known who spoke there last', () => {
  const session = { sessionKey: 'agent:main:main' };
  const subagent = { ...STRANGER, sessionKey: 'agent:main:subagent:1' };
  const turns = [
    { ...OWNER, ...session },
    { ...STRANGER, ...session },
  ];
  expect(offered({}, ...turns, subagent)).toEqual([]);
  expect(offered({}, ...turns, { ...OWNER, ...session }, subagent)).toEqual([...READ, ...FACTS]);
});

it('a subagent has the memory of a sender only if nobody else has spoken', () => {
  const settings = { nonOwner: { perSender: true } };
  const session = { sessionKey: 'agent:main:main', sessionId: 'id' };
  const eve = { ...BOB, requesterSenderId: '8' };
  const subagent = { ...STRANGER, sessionKey: 'agent:main:subagent:1' };
  expect(offered(settings, { ...BOB, ...session }, subagent)).toEqual(READ);
  expect(offered(settings, { ...BOB, ...session }, { ...eve, ...session }, subagent)).toEqual([]);
});
