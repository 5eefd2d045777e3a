import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import { audit } from '../audit/read-audit.ts';
import type { EngineContext } from '../context.ts';
import { deleteRecord } from '../records/delete.ts';
import { search } from '../records/search.ts';
import { write } from '../records/write.ts';
import { type Captured, captureMessage } from './capture-message.ts';

const folder = folderForEach();
let loci: EngineContext;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 22, 12);
  loci = await openInline(settings(folder.path, { search: { minScore: 0 } }), { now: () => now });
});

afterEach(() => loci.close());

function capture(message: string, agent = 'main'): Promise<Captured> {
  return captureMessage(loci, {
    message,
    origin: { agent, session: `agent:${agent}:main` },
    maxPerTurn: 3,
    maxPerDay: 50,
  });
}

/** What a search finds, and until when it was true. */
async function found(query: string): Promise<(readonly [text: string, until: string | undefined])[]> {
  const { results } = await search(loci, { query });
  return results.map(({ snippet, valid_until }) => [snippet, valid_until?.slice(0, 10)] as const).toSorted();
}

it('stores what the owner asks to remember, and nothing of a secret', async () => {
  const message = 'Remember that I have two cats. My sister lives in Bergen. Remember that my PIN is 4711.';
  expect(await capture(message)).toEqual({ stored: 1, secrets: 1 });
  expect(await found('cats sister PIN')).toEqual([['I have two cats.', undefined]]);
});

it.each([
  ['remember that I live in Berlin.', 'remember that I now live in Hamburg.'],
  ['note: I live in Berlin.', "remember that we've just moved to Hamburg."],
  ['merk dir: Ich wohne in Berlin.', 'merk dir, dass ich nach Hamburg gezogen bin.'],
  ['merk dir, dass ich in Berlin wohne.', 'merk dir, dass ich jetzt in Hamburg wohne.'],
  ['remember that my wife is called Berlina.', "remember that my wife's name is Hamburg."],
  ['merk dir, dass meine Frau Berlina heißt.', 'merk dir: Meine Frau heißt Hamburg.'],
  ['remember that my favourite city is Berlin.', 'remember that my favourite city is Hamburg.'],
])('ends the former fact when a later one takes its place: %s %s', async (former, later) => {
  await capture(former);
  now += DAY_MS;
  await capture(later);
  const all = await found(`${former} Hamburg`);
  expect(all.map(([text, until]) => [text.includes('Hamburg'), until]).toSorted()).toEqual([
    [false, '2026-11-23'],
    [true, undefined],
  ]);
  const { entries } = await audit(loci, {});
  expect(JSON.stringify(entries)).toContain('valid_until');
  // What was true before may become true again.
  now += DAY_MS;
  expect(await capture(former)).toMatchObject({ stored: 1 });
});

it('keeps one fact of those that are captured at the same time', async () => {
  await capture('Remember that I live in Berlin.');
  await Promise.all([
    ...['Hamburg', 'Munich', 'Munich'].map((city) => capture(`Remember that I live in ${city}.`)),
  ]);
  const all = await found('live Berlin Hamburg Munich');
  expect(all).toHaveLength(3);
  expect(all.filter(([, until]) => until === undefined)).toHaveLength(1);
});

it('ends the former fact later if it could not before', async () => {
  await capture('Remember that I live in Berlin.');
  const commit = loci.store.records.commit.bind(loci.store.records);
  let commits = 0;
  loci.store.records.commit = (...change) =>
    commits++ === 0 ? commit(...change) : Promise.reject(new Error('stopped'));
  await expect(capture('Remember that I live in Hamburg.')).rejects.toThrow('stopped');
  loci.store.records.commit = commit;
  expect(await capture('Remember that I live in Hamburg.')).toMatchObject({ stored: 0 });
  expect(await found('live Berlin Hamburg')).toEqual([
    ['I live in Berlin.', '2026-11-22'],
    ['I live in Hamburg.', undefined],
  ]);
});

it('ends no record that an agent wrote, that another agent captured, or about something else', async () => {
  await write(loci, { content: 'I live in Berlin.', tags: ['captured/home'] });
  await capture('Remember that I live in Bremen.', 'work');
  await capture('Remember that my dog is called Rex.');
  await capture('Remember that I live in Hamburg.');
  // There may be two dogs.
  await capture('Remember that my dog is called Mitzi.');
  expect((await found('live Berlin Bremen Hamburg dog')).map(([, until]) => until)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

it('stores a fact again that was deleted', async () => {
  await capture('Remember that I have two cats.');
  await deleteRecord(loci, { id: 1 });
  expect(await capture('Remember that I have two cats.')).toMatchObject({ stored: 1 });
});
