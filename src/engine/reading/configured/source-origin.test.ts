import { describe, expect, it } from 'vitest';
import { note, write } from '../../../../test/contract/store-samples.ts';
import { configSchema } from '../../../config/schema.ts';
import type { RecordDraft } from '../../../store/model.ts';
import { openSqliteInMemory } from '../../../../test/contract/sqlite-in-memory.ts';
import { EngineContext } from '../../context.ts';
import { search } from '../../records/search.ts';
import { sourceStateChange } from '../../../store/items/kinds.ts';
import { sourceOrigins, type SourceOrigin } from './source-origin.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Sunday in the local time zone. */
const NOW = new Date(2026, 10, 22, 15, 30).getTime();
const at = (...[day, hour = 0]: readonly [number, number?]): number =>
  new Date(2026, 10, day, hour).getTime();

type RecordOverrides = Partial<
  Pick<RecordDraft, 'origin' | 'source' | 'recordType' | 'createdAt' | 'metadata'>
>;

interface Setup {
  /** Milliseconds since the source was read; `null` for never. */
  readonly readAgo?: number | null;
  readonly name?: string;
  readonly namespace?: string;
}

function contextOf({ name = 'Google Tasks' }: Setup = {}): EngineContext {
  const config = configSchema.parse({
    embedding: { provider: 'none' },
    sources: [{ id: 'tasks', name, command: 'tasks', refreshInterval: '5m' }],
  });
  return EngineContext.create(config, openSqliteInMemory(), { now: () => NOW });
}

async function originOf(overrides: RecordOverrides, setup: Setup = {}): Promise<SourceOrigin | null> {
  const { readAgo = 3 * MINUTE, namespace = 'default' } = setup;
  const configured = contextOf(setup);
  const context = configured.as({ ...configured.caller, namespace });
  const source = overrides.source ?? 'tasks';
  if (readAgo !== null)
    await context.store.records.commit(namespace, {
      items: [sourceStateChange(source, { readAt: NOW - readAgo })],
    });
  const record = {
    origin: 'source',
    recordType: 'task',
    createdAt: at(23),
    metadata: {},
    ...overrides,
    source,
  };
  const [origin = null] = await sourceOrigins(context, [{ ...record, origin: overrides.origin ?? 'source' }]);
  return origin;
}

const line = async (overrides: RecordOverrides, setup?: Setup): Promise<string | undefined> =>
  (await originOf(overrides, setup))?.line;

describe('the origin of a document', () => {
  it.each([
    ['due today', at(22)],
    ['due today', at(22, 18)],
    ['due tomorrow', at(23)],
    ['due tomorrow', at(23, 10)],
    ['due Friday', at(27, 10)],
    ['due 29 Nov', at(29)],
    ['due 4 Dec', at(34, 10)],
  ])('describes a task as %s', async (words, createdAt) => {
    expect(await line({ createdAt })).toBe(`From Google Tasks · ${words} · 3 min ago`);
  });

  it.each([
    ['today 18:00', at(22, 18)],
    ['today', at(22)],
    ['tomorrow 10:00', at(23, 10)],
    ['Friday', at(27)],
    ['4 Dec', at(34, 10)],
  ])('describes the time of an event as %s', async (words, createdAt) => {
    const event = { recordType: 'document', createdAt };
    expect(await line(event)).toBe(`From Google Tasks · ${words} · 3 min ago`);
  });

  it('shows the age of past events, and that a task was due', async () => {
    expect(await line({ createdAt: at(21, 10) })).toBe('From Google Tasks · was due 1d ago · read 3 min ago');
    const event = { createdAt: at(21, 10), recordType: 'event' };
    expect(await line(event)).toBe('From Google Tasks · 1d ago · read 3 min ago');
    const mail = { recordType: 'document', createdAt: NOW - 2 * HOUR };
    expect(await line(mail)).toBe('From Google Tasks · 2h ago · read 3 min ago');
  });

  it('shows that a task has no date', async () => {
    const undated = { metadata: { completed: false, undated: true } };
    expect(await line(undated)).toBe('From Google Tasks · no date · read 3 min ago');
    const mail = { recordType: 'document', createdAt: NOW - 2 * HOUR, metadata: { undated: true } };
    expect(await line(mail)).toBe('From Google Tasks · 2h ago · read 3 min ago');
  });

  it('shows that a task is completed instead of when it was due', async () => {
    const done = { metadata: { completed: true } };
    expect(await line(done)).toBe('From Google Tasks · done · 3 min ago');
    expect((await originOf(done))?.completed).toBe(true);
    expect((await originOf({ metadata: { completed: false } }))?.completed).toBe(false);
    expect((await originOf({ metadata: { completed: 'yes' } }))?.completed).toBeNull();
  });

  it('is stale after twice the refresh interval', async () => {
    const originReadAgo = (age: number | null): Promise<SourceOrigin | null> =>
      originOf({}, { readAgo: age });
    expect((await originReadAgo(10 * MINUTE))?.stale).toBe(false);
    expect(await originReadAgo(10 * MINUTE + 1)).toMatchObject({
      stale: true,
      refreshedAt: NOW - 10 * MINUTE - 1,
      line: 'From Google Tasks · due tomorrow · stale (10 min)',
    });
    const done = { metadata: { completed: true } };
    expect(await line(done, { readAgo: 2 * HOUR })).toBe('From Google Tasks · done · stale (2 h)');
    expect((await originReadAgo(0))?.line).toBe('From Google Tasks · due tomorrow · just now');
    // The clock was set back.
    expect((await originReadAgo(-HOUR))?.line).toBe('From Google Tasks · due tomorrow · just now');
    expect(await originReadAgo(null)).toMatchObject({
      stale: false,
      refreshedAt: null,
      line: 'From Google Tasks · due tomorrow',
    });
  });

  it('shows the id of a source that is not in the settings of the namespace', async () => {
    expect(await line({ source: 'gone' }, { readAgo: 48 * HOUR })).toBe('From gone · due tomorrow · 2 d ago');
    const elsewhere = { namespace: 'other', readAgo: 48 * HOUR };
    expect(await line({}, elsewhere)).toBe('From tasks · due tomorrow · 2 d ago');
  });

  it('is null for other records', async () => {
    for (const origin of ['vault', 'memory', 'fact', 'audit'] as const)
      expect(await originOf({ origin })).toBeNull();
  });

  it('contains the URL of the document', async () => {
    const url = async (value: string | number | null): Promise<unknown> =>
      (await originOf({ metadata: { url: value } }))?.url;
    expect(await url('https://tasks.google.com/1')).toBe('https://tasks.google.com/1');
    expect([await url(''), await url(7), await url(null)]).toEqual([null, null, null]);
  });

  it('escapes names, so that they cannot imitate other text', async () => {
    const name = 'Tasks\n\u2028From me\u001b[2J\u202e · done · just now';
    expect(await originOf({}, { name })).toMatchObject({
      name: 'Tasks From me [2J · done · just now',
      line: 'From Tasks From me [2J - done - just now · due tomorrow · 3 min ago',
    });
  });

  it('is part of search results', async () => {
    const context = contextOf();
    const todo = { origin: 'source', source: 'tasks', recordType: 'task', createdAt: at(23) } as const;
    await write(context.store, 'default', note('buy tile samples', todo), note('own tile samples'));
    const { results } = await search(context, { query: 'tile samples' });
    expect(results.map(({ origin, age, from }) => [origin, age, from])).toEqual([
      ['vault', expect.any(String), null],
      ['source', 'in 8h', 'From Google Tasks · due tomorrow'],
    ]);
  });
});
