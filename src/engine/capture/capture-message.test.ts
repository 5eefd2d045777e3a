import { afterEach, beforeEach, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import { audit } from '../audit/read-audit.ts';
import type { EngineContext } from '../context.ts';
import { deleteRecord } from '../records/delete.ts';
import { search } from '../records/search.ts';
import { write } from '../records/write.ts';
import { type Captured, captureMessage } from './capture-message.ts';
import { acceptProposals, listProposals, rejectProposals } from './proposals.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let loci: EngineContext;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 22, 12);
  folder = await temporaryFolder();
  loci = await openInline(settings(folder.path, { search: { minScore: 0 } }), { now: () => now });
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

function capture(message: string, agent = 'main'): Promise<Captured> {
  return captureMessage(loci, {
    message,
    origin: { agent, session: `agent:${agent}:main` },
    maxPerTurn: 3,
    maxPerDay: 50,
  });
}

const texts = async (): Promise<string[]> =>
  (await listProposals(loci, {})).proposals.map(({ text }) => text);

/** What a search finds, and until when it was true. */
async function found(query: string): Promise<(readonly [text: string, until: string | undefined])[]> {
  const { results } = await search(loci, { query });
  return results.map(({ snippet, valid_until }) => [snippet, valid_until?.slice(0, 10)] as const).toSorted();
}

it('stores what is sure, proposes what is not, and keeps nothing of a secret', async () => {
  expect(await capture('I have two cats. My sister lives in Bergen. Remember that my PIN is 4711.')).toEqual({
    stored: 1,
    proposed: 1,
    secrets: 1,
  });
  expect(await found('cats sister PIN')).toEqual([['I have two cats.', undefined]]);
  expect(await listProposals(loci, {})).toMatchObject({
    proposals: [
      {
        text: 'My sister lives in Bergen.',
        session: 'agent:main:main',
        expires_at: '2026-12-22T12:00:00.000Z',
      },
    ],
    total: 1,
    next: null,
  });
});

it('makes a proposal once, also after it was rejected, until 30 days have passed', async () => {
  await capture('My sister lives in Bergen.');
  await capture('my sister lives in Bergen!');
  const { proposals } = await listProposals(loci, {});
  expect(proposals).toHaveLength(1);
  await rejectProposals(loci, { ids: [proposals[0]!.id] });
  expect(await capture('My sister lives in Bergen.')).toMatchObject({ proposed: 0 });
  expect(await texts()).toEqual([]);
  now += 31 * DAY_MS;
  expect(await capture('My sister lives in Bergen.')).toMatchObject({ proposed: 1 });
  now += 31 * DAY_MS;
  expect(await texts()).toEqual([]);
});

it('writes an accepted proposal as a record that is not proposed again', async () => {
  await capture('My sister lives in Bergen. We bought a piano.');
  const { proposals } = await listProposals(loci, { limit: 1 });
  const { id, text } = proposals[0]!;
  const { accepted } = await acceptProposals(loci, { ids: [id] });
  expect(accepted).toEqual([{ id, text, citation: 'record/1' }]);
  expect(await found(text)).toEqual([[text, undefined]]);
  expect(await capture(text)).toMatchObject({ proposed: 0 });
  expect(await texts()).toHaveLength(1);
});

it('changes nothing if one of several proposals does not wait, and names it', async () => {
  await capture('My sister lives in Bergen. We bought a piano.');
  const [first] = (await listProposals(loci, {})).proposals;
  for (const decide of [acceptProposals, rejectProposals])
    await expect(decide(loci, { ids: [first!.id, 99] })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('99') as string,
    });
  expect(await texts()).toHaveLength(2);
  expect(await found('sister piano')).toEqual([]);
});

it.each([
  ['I live in Berlin.', 'I live in Hamburg now.'],
  ['I live in Berlin.', 'I moved to Hamburg.'],
  ['Ich wohne in Berlin.', 'Ich bin nach Hamburg gezogen.'],
  ['My wife is called Berlina.', "My wife's name is Hamburg."],
  ['I live in Berlin.', 'Remember that I live in Hamburg.'],
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
  await capture('I live in Berlin.');
  await Promise.all([
    ...['I live in Hamburg.', 'I live in Munich.', 'I live in Munich.'].map((fact) => capture(fact)),
  ]);
  const all = await found('live Berlin Hamburg Munich');
  expect(all).toHaveLength(3);
  expect(all.filter(([, until]) => until === undefined)).toHaveLength(1);
});

it('ends the former fact later if it could not before', async () => {
  await capture('I live in Berlin.');
  const commit = loci.store.records.commit.bind(loci.store.records);
  let commits = 0;
  loci.store.records.commit = (...change) =>
    commits++ === 0 ? commit(...change) : Promise.reject(new Error('stopped'));
  await expect(capture('I live in Hamburg.')).rejects.toThrow('stopped');
  loci.store.records.commit = commit;
  expect(await capture('I live in Hamburg.')).toMatchObject({ stored: 0 });
  expect(await found('live Berlin Hamburg')).toEqual([
    ['I live in Berlin.', '2026-11-22'],
    ['I live in Hamburg.', undefined],
  ]);
});

it('ends what was said before an accepted proposal, or the proposal if a fact was said later', async () => {
  const propose = (fact: string): Promise<Captured> => capture(`Translate this letter.\n${fact}`);
  await propose('I live in Berlin.');
  now += DAY_MS;
  await propose('I live in Bremen.');
  now += DAY_MS;
  const accept = async (city: string): Promise<void> => {
    const { proposals } = await listProposals(loci, {});
    await acceptProposals(loci, { ids: [proposals.find(({ text }) => text.includes(city))!.id] });
  };
  await accept('Berlin');
  now += DAY_MS;
  await accept('Bremen');
  await propose('I live in Oslo.');
  now += DAY_MS;
  await capture('I live in Hamburg.');
  now += DAY_MS;
  await accept('Oslo');
  expect(await found('live Berlin Bremen Hamburg')).toMatchObject([
    ['I live in Berlin.', '2026-11-25'],
    ['I live in Bremen.', '2026-11-26'],
    ['I live in Hamburg.', undefined],
    ['I live in Oslo.', '2026-11-26'],
  ]);
});

it('ends no record that an agent wrote, that another agent captured, or about something else', async () => {
  await write(loci, { content: 'I live in Berlin.', tags: ['captured/home'] });
  await capture('I live in Bremen.', 'work');
  await capture('My dog is called Rex.');
  await capture('I live in Hamburg.');
  // There may be two dogs.
  await capture('My dog is called Mitzi.');
  expect((await found('live Berlin Bremen Hamburg dog')).map(([, until]) => until)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

it('stores a fact again that was deleted', async () => {
  await capture('I have two cats.');
  await deleteRecord(loci, { id: 1 });
  expect(await capture('I have two cats.')).toMatchObject({ stored: 1 });
});
