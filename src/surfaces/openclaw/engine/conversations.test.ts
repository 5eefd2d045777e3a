import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dayText } from '../../../core/time/whole-day.ts';
import { runOperation } from '../../../operations/run.ts';
import type { SearchOutput } from '../../../engine/records/results/search-fields.ts';
import { write } from '../../../engine/records/write.ts';
import type { HostSessions, SessionEntry, Transcript, TranscriptText } from '../host/sessions.ts';
import { operatorTurn, type Turn } from '../host/turn.ts';
import { conversationsOf } from './conversations.ts';
import { GatewayEngine } from './engine.ts';
import { operation, readMemory, searchMemory, toolAnswer } from './run-tool.ts';

const DAY = '2026-11-20';
const at = (day: string, minute = 0): number => Date.parse(`${day}T12:00`) + minute * 60_000;

/** A line of a transcript: who is responsible for it, the text, and its day. */
type Said = readonly [originClass: string, text: string, day?: string];
const ADA: readonly Said[] = [
  ['owner', 'User: My boat is called Albatross.'],
  ['agent', 'Assistant: A fine name.'],
];

interface Session {
  readonly said?: readonly Said[];
  readonly entry?: SessionEntry;
  readonly transcript?: Partial<Transcript>;
  readonly text?: Partial<TranscriptText>;
}

/** The sessions of a host, by agent and key. */
class FakeSessions implements HostSessions {
  isOn = true;
  read_ = 0;
  unreadable = '';
  readonly byAgent: Record<string, Record<string, Session>>;

  constructor(byAgent: Record<string, Record<string, Session>>) {
    this.byAgent = byAgent;
  }

  areRemembered(): boolean {
    return this.isOn;
  }

  entries(agent: string): Promise<Record<string, SessionEntry>> {
    const sessions = Object.entries(this.byAgent[agent] ?? {});
    return Promise.resolve(
      Object.fromEntries(sessions.map(([key, { entry }]) => [key, { sessionId: idOf(key), ...entry }])),
    );
  }

  transcripts(agent: string): Promise<Transcript[]> {
    const sessions = Object.entries(this.byAgent[agent] ?? {});
    return Promise.resolve(
      sessions.map(([key, { said = ADA, transcript }]) => ({
        artifactKind: 'active-session',
        sessionFile: key,
        sessionId: idOf(key),
        sessionKey: key,
        sessionKind: 'interactive',
        contentRevision: JSON.stringify(said),
        ...transcript,
      })),
    );
  }

  read(agent: string, { sessionFile }: Transcript): Promise<TranscriptText | null> {
    this.read_++;
    if (sessionFile === this.unreadable) return Promise.reject(new Error('it is in cold storage'));
    const session = Object.entries(this.byAgent[agent] ?? {}).find(
      ([key, { transcript }]) => sessionFile === (transcript?.sessionFile ?? key),
    )?.[1];
    const { said = ADA, text } = session ?? {};
    return Promise.resolve({
      content: said.map(([, line]) => line).join('\n'),
      lineMap: said.map((_, i) => i + 1),
      lineProvenance: said.map(([originClass, , day = DAY], i) => ({ originClass, observedAt: at(day, i) })),
      ...text,
    });
  }
}

function idOf(key: string): string {
  return key.replaceAll(':', '-');
}

const ADA_KEY = 'agent:main:direct:ada';
const OTHER_KEY = 'agent:main:direct:phone';
/** A turn of the owner in another private session. */
const OWNER: Turn = { ...operatorTurn('main'), ownSession: OTHER_KEY };
const OTHER: Session = { said: [['owner', 'User: What is my boat called?']] };

let folder: string;
const engines: GatewayEngine[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loci-conversations-'));
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(sessions: HostSessions, config: Record<string, unknown> = {}): Promise<GatewayEngine> {
  const engine = await GatewayEngine.open({
    plugin: 'memory-loci',
    config: {
      home: join(folder, 'home'),
      embedding: { provider: 'none' },
      skills: [],
      ...config,
      sessions: config['sessions'] ?? { since: '2026-01-01', days: 365 },
    },
    workspaces: () =>
      ['main', 'work'].map((agent) => ({ agent, folder: join(folder, agent), extraPaths: [] })),
    sessions,
    log: () => undefined,
  });
  engines.push(engine);
  await engine.workspaces.refresh();
  return engine;
}

/** The keys of an agent's records that are about boats. */
async function indexed(engine: GatewayEngine, agent = 'main'): Promise<string[]> {
  const search = await operation<SearchOutput>('search');
  const context = engine.contextOf(conversationsOf(agent), agent);
  const { results } = await runOperation(search, context, { query: 'boat', limit: 100 });
  return results.map(({ citation }) => citation.replace(/#.*/, '')).toSorted();
}

async function found(engine: GatewayEngine, turn: Turn, corpus?: string): Promise<string[]> {
  const answer = await searchMemory(engine, { query: 'boat called', ...(corpus && { corpus }) }, { turn });
  const hits = answer.results.filter(({ from }) => from !== 'run of a tool');
  return hits.map(({ snippet }) => snippet).toSorted();
}

const reset = { artifactKind: 'archive-artifact', sessionKind: 'unknown' } as const;

/** Each session has a key of its own; those without one are private. */
const SESSIONS: readonly (readonly [isIndexed: boolean, what: string, session: Session, key?: string])[] = [
  [true, 'a private session', {}],
  [true, 'an earlier transcript of it', { transcript: { artifactKind: 'retained-session' } }],
  [
    true,
    'the archive of a session that was reset',
    { transcript: { ...reset, sessionFile: '/s/x.jsonl.reset.2026' } },
  ],
  [
    false,
    'the archive of a session that was deleted',
    { transcript: { ...reset, sessionFile: '/s/x.jsonl.deleted.2026' } },
  ],
  [false, 'a group', {}, 'agent:main:telegram:group:1'],
  [false, 'a channel', {}, 'agent:main:discord:channel:1'],
  [false, 'a session of unknown type', {}, 'agent:main:main'],
  [false, 'a session without a key', { transcript: { sessionKey: '' } }],
  [false, 'a subagent', { transcript: { sessionKind: 'subagent' } }],
  [false, 'a heartbeat', { transcript: { sessionKind: 'heartbeat' } }],
  [false, 'a schedule', { transcript: { generatedByCronRun: true } }],
  [false, 'what turns out to be of a schedule', { text: { generatedByCronRun: true } }],
  [false, 'a dream', { transcript: { generatedByDreamingNarrative: true } }],
  [false, 'one with somebody else', { said: [...ADA, ['untrusted', 'User: I am Bob.']] }],
  [true, 'a day before somebody else', { said: [...ADA, ['untrusted', 'User: Bob.', '2026-11-21']] }],
  [false, 'what was said before the agreed day', { said: [['owner', 'User: A boat.', '2025-12-31']] }],
  [false, 'what a program has written', { said: [['system', 'User: Boat report.']] }],
  [false, 'what the agent has answered to somebody else', { said: [['untrusted', 'Assistant: A boat.']] }],
];

it('indexes what the owner has said in private sessions, and nothing else', async () => {
  const keyOf = (at: number): string => SESSIONS[at]![3] ?? `agent:main:direct:${String(at)}`;
  const main = Object.fromEntries(SESSIONS.map(([, , session], at) => [keyOf(at), session]));
  const keys = await indexed(await open(new FakeSessions({ main })));
  const found = SESSIONS.map(([, what], at) => [
    keys.some((key) => key.startsWith(`${idOf(keyOf(at))}/`)),
    what,
  ]);
  expect(found).toEqual(SESSIONS.map(([isIndexed, what]) => [isIndexed, what]));
  expect(keys).toHaveLength(SESSIONS.filter(([isIndexed]) => isIndexed).length);
});

it('has one record for each session and day, with its time and its session', async () => {
  const said: Said[] = [...ADA, ['owner', 'User: The boat is blue.', '2026-11-21']];
  const engine = await open(new FakeSessions({ main: { [ADA_KEY]: { said } } }));
  const id = idOf(ADA_KEY);
  expect(await indexed(engine)).toEqual([`${id}/2026-11-20`, `${id}/2026-11-21`]);
  const get = await operation('get');
  const context = engine.contextOf(conversationsOf('main'), 'main');
  expect(await runOperation(get, context, { citation: `${id}/2026-11-20` })).toMatchObject({
    text: 'User: My boat is called Albatross.\nAssistant: A fine name.',
    trust: 'agent',
    created_at: new Date(at('2026-11-20', 1)).toISOString(),
    metadata: { date: '2026-11-20', session: ADA_KEY, session_id: id },
  });
});

it('follows transcripts: reads those that changed, and removes those that are gone or too old', async () => {
  const sessions = new FakeSessions({ main: { [ADA_KEY]: {}, [OTHER_KEY]: OTHER } });
  const engine = await open(sessions);
  const before = sessions.read_;
  await engine.workspaces.refresh();
  expect(sessions.read_).toBe(before);
  sessions.byAgent['main']![ADA_KEY] = { said: [['owner', 'User: The boat was sold.']] };
  // A search does not wait for the next refresh.
  expect((await found(engine, OWNER, 'sessions'))[0]).toContain('sold');
  sessions.byAgent['main'] = { [OTHER_KEY]: OTHER };
  await engine.workspaces.refresh();
  expect(await indexed(engine)).toEqual([`${idOf(OTHER_KEY)}/${DAY}`]);
  const old = await open(sessions, { sessions: { since: '2026-01-01', days: 1 } });
  expect(await indexed(old)).toEqual([]);
});

it('keeps what the host cannot read now, and follows the others', async () => {
  const sessions = new FakeSessions({ main: { [ADA_KEY]: {}, [OTHER_KEY]: OTHER } });
  const engine = await open(sessions);
  sessions.byAgent['main'] = {
    [ADA_KEY]: { said: [['owner', 'User: No vessel.']] },
    [OTHER_KEY]: { said: [] },
  };
  sessions.unreadable = ADA_KEY;
  await engine.workspaces.refresh();
  expect(await indexed(engine)).toEqual([`${idOf(ADA_KEY)}/${DAY}`]);
});

it('a search leaves out what was said today in its own session, such as its question', async () => {
  const today = dayText(Date.now());
  const said: Said[] = [...ADA, ['owner', 'User: What is my boat called?', today]];
  const engine = await open(new FakeSessions({ main: { [OTHER_KEY]: { said } } }));
  expect(await indexed(engine)).toHaveLength(2);
  const texts = await found(engine, OWNER, 'sessions');
  expect([texts.length, texts[0]?.includes('Albatross')]).toEqual([1, true]);
});

it('reads only what is said after the first time, unless the settings name a day', async () => {
  const now = dayText(Date.now());
  const later: Said = ['owner', 'User: The boat is blue.', '2099-01-01'];
  const sessions = new FakeSessions({
    main: { [ADA_KEY]: { said: [...ADA, ['owner', 'User: A boat.', now], later] } },
  });
  const engine = await open(sessions, { sessions: { days: 365 } });
  expect((await indexed(engine)).map((key) => key.slice(-10))).toContain('2099-01-01');
  expect((await indexed(engine)).map((key) => key.slice(-10))).not.toContain(DAY);
});

it('removes everything when it is switched off', async () => {
  const sessions = new FakeSessions({ main: { [ADA_KEY]: {} } });
  const engine = await open(sessions);
  expect(await indexed(engine)).toHaveLength(1);
  sessions.isOn = false;
  await engine.workspaces.refresh();
  expect(await indexed(engine)).toEqual([]);
  await expect(
    searchMemory(engine, { query: 'boat', corpus: 'sessions' }, { turn: OWNER }),
  ).rejects.toMatchObject({
    code: 'invalid_input',
  });
});

it('masks secrets', async () => {
  const said: Said[] = [['owner', 'User: My password is swordfish-4411.']];
  const engine = await open(new FakeSessions({ main: { [ADA_KEY]: { said }, [OTHER_KEY]: OTHER } }));
  const path = `agent:main:sessions:${idOf(ADA_KEY)}/${DAY}`;
  const read = await readMemory(engine, { path }, { turn: OWNER });
  expect(read.text).toMatch(/^User: My password is /);
  expect(read.text).not.toContain('swordfish');
});

const READERS: readonly (readonly [mayRead: boolean, what: string, turn: Turn])[] = [
  [true, 'the owner in another private session', OWNER],
  [true, 'the owner in the same session', { ...OWNER, ownSession: ADA_KEY }],
  [false, 'somebody else', { ...OWNER, isOwner: false }],
  [false, 'a sandbox', { ...OWNER, isSandboxed: true }],
  [false, 'a session in which somebody else has spoken', operatorTurn('main')],
  [false, 'one in which somebody else has spoken earlier', { ...OWNER, ownSession: 'agent:main:dm:bob' }],
  [false, 'a group', { ...OWNER, ownSession: 'agent:main:telegram:group:1' }],
  [false, 'a session that the host does not know', { ...OWNER, ownSession: 'agent:main:direct:new' }],
  [false, 'another agent', { ...OWNER, agent: 'work', ownSession: 'agent:work:direct:ada' }],
  [false, 'another agent that names a session of this one', { ...OWNER, agent: 'work' }],
];

it('the owner finds and reads conversations in private sessions, and nobody else does', async () => {
  const engine = await open(
    new FakeSessions({
      main: {
        [ADA_KEY]: {},
        [OTHER_KEY]: { said: [] },
        'agent:main:telegram:group:1': { said: [] },
        'agent:main:dm:bob': { said: [['untrusted', 'User: I am Bob.']] },
      },
      work: { 'agent:work:direct:ada': { said: [] } },
    }),
    // Even agents that share their memory do not share conversations.
    { agents: { main: { namespace: 'family' }, work: { namespace: 'family' } } },
  );
  const path = `agent:main:sessions:${idOf(ADA_KEY)}/${DAY}`;
  for (const [mayRead, what, turn] of READERS) {
    const counts = ['sessions', 'all', 'memory', undefined].map(
      async (corpus) => (await found(engine, turn, corpus).catch(() => [])).length,
    );
    const expected = mayRead ? 1 : 0;
    expect(await Promise.all(counts), what).toEqual([expected, expected, 0, 0]);
    const read = await readMemory(engine, { path }, { turn }).catch(() => ({ status: 'forbidden' }));
    expect(read.status === 'ok', what).toBe(mayRead);
  }
});

it('with `enabled: true`, conversations are found without `corpus` in private sessions of the owner', async () => {
  const engine = await open(new FakeSessions({ main: { [ADA_KEY]: {}, [OTHER_KEY]: { said: [] } } }), {
    sessions: { enabled: true, since: '2026-01-01', days: 365 },
  });
  expect(await found(engine, OWNER)).toHaveLength(1);
  expect(await found(engine, OWNER, 'memory')).toEqual([]);
  expect(await found(engine, operatorTurn('main'))).toEqual([]);
});

it('a recall of the host finds other conversations than that of its message, and memory only if it is to', async () => {
  const said: Said[] = [['owner', 'User: My boat called Pelican is here.']];
  const engine = await open(new FakeSessions({ main: { [ADA_KEY]: {}, [OTHER_KEY]: { said } } }));
  await write(await engine.loci('agent:main'), { content: 'My boat called Gannet is in the notes.' });
  const recall = (corpus: string) => ({
    ...OWNER,
    recall: { anchorSessionKey: OTHER_KEY, scope: 'same-agent-private', corpus },
  });
  const names = async (turn: Turn, corpus?: string): Promise<string[]> =>
    (await found(engine, turn, corpus))
      .flatMap((text) => /Albatross|Pelican|Gannet/.exec(text) ?? [])
      .toSorted();
  expect(await names(recall('sessions'))).toEqual(['Albatross']);
  expect(await names(recall('sessions'), 'memory')).toEqual(['Albatross']);
  expect(await names(recall('configured'))).toEqual(['Albatross', 'Gannet']);
  expect(await names(OWNER, 'sessions')).toEqual(['Albatross', 'Pelican']);
  const { ownSession: _, ...untrusted } = recall('sessions');
  expect(await names(untrusted)).toEqual([]);
  expect(await names({ ...untrusted, recall: recall('configured').recall })).toEqual(['Gannet']);
});

it('a recall finds what its session no longer has in its context', async () => {
  const said: Said[] = [...ADA, ['owner', 'User: The boat called Pelican is blue.']];
  const text = {
    [Symbol.for('openclaw.memory.sessionResetRecallCutoff')]: { state: 'valid', cutoffLine: 3 },
  };
  const engine = await open(new FakeSessions({ main: { [OTHER_KEY]: { said, text } } }));
  const recall = { anchorSessionKey: OTHER_KEY, scope: 'same-agent-private', corpus: 'sessions' };
  const texts = await found(engine, { ...OWNER, recall });
  expect([texts.length, texts[0]?.includes('Albatross')]).toEqual([1, true]);
});

it('shows hits as those of conversations', async () => {
  const engine = await open(new FakeSessions({ main: { [ADA_KEY]: {}, [OTHER_KEY]: { said: [] } } }));
  const answer = await searchMemory(engine, { query: 'Albatross', corpus: 'sessions' }, { turn: OWNER });
  expect(toolAnswer(answer).results).toMatchObject([
    { source: 'sessions', corpus: 'sessions', from: 'conversations', provenance: { originClass: 'agent' } },
  ]);
});
