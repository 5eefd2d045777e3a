import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { CorpusOutput } from '../../src/operations/facts/corpus.ts';
import type { FactCategoriesOutput } from '../../src/operations/facts/categories.ts';
import type { Fact } from '../../src/operations/facts/fact-fields.ts';
import { forgetFacts, type FactForgetOutput } from '../../src/operations/facts/forget.ts';
import type { FactListOutput } from '../../src/operations/facts/list.ts';
import { recallFact } from '../../src/operations/facts/recall.ts';
import { storeFact, type FactStoreOutput } from '../../src/operations/facts/store.ts';
import type { SearchOutput } from '../../src/operations/records/search.ts';
import type { StatusOutput } from '../../src/operations/health/status.ts';
import { deleteRecord } from '../../src/operations/records/delete.ts';
import { undelete } from '../../src/operations/records/undelete.ts';
import { asAgent } from './agent-call.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

interface Home {
  readonly home: string;
}

function newHome(): Home {
  return { home: join(temporaryFolder(), 'home') };
}

function store(own: Home, key: string, value: string, ...args: string[]): Promise<FactStoreOutput> {
  return lociJson(['fact', 'store', key, value, ...args], own);
}

async function keys(own: Home, ...args: string[]): Promise<string[]> {
  const { facts } = await lociJson<FactListOutput>(['fact', 'list', ...args], own);
  return facts.map(({ key }) => key);
}

/** The `error` of a command that fails, and its exit code. */
async function refusal(args: readonly string[], own: Home): Promise<Record<string, unknown>> {
  const { code: exit, stdout } = await loci([...args, '--json'], own);
  return { exit, ...(JSON.parse(stdout) as { error: Record<string, unknown> }).error };
}

function secondsLeft({ expires_at }: { expires_at: string }): number {
  return (Date.parse(expires_at) - Date.now()) / 1000;
}

describe('a fact', () => {
  it('of the operator cannot be replaced by agents, unless they may write', async () => {
    const own = newHome();
    await store(own, 'framework', 'Svelte', '--category', 'project');
    await asAgent(storeFact, { key: 'db', value: 'SQLite', category: 'project' }, own.home);
    await asAgent(storeFact, { key: 'db', value: 'SQLite 3', category: 'project' }, own.home);
    const overruling: readonly (() => Promise<unknown>)[] = [
      () => asAgent(storeFact, { key: 'framework', value: 'jQuery', category: 'project' }, own.home),
      () => asAgent(forgetFacts, { key: 'framework' }, own.home),
      () => asAgent(forgetFacts, { prefix: 'frame' }, own.home),
      () => asAgent(forgetFacts, { category: 'project' }, own.home),
      () => asAgent(deleteRecord, { id: 1 }, own.home),
    ];
    for (const attempt of overruling)
      await expect(attempt()).rejects.toMatchObject({
        code: 'writes_disabled',
        message: expect.stringContaining('the operator stored "framework"') as string,
      });
    expect(await keys(own)).toEqual(expect.arrayContaining(['framework', 'db']));
    await loci(['fact', 'forget', 'framework'], own);
    await expect(asAgent(undelete, { id: 1 }, own.home)).rejects.toMatchObject({ code: 'writes_disabled' });
    await loci(['undelete', '1'], own);
    expect(await asAgent(forgetFacts, { key: 'db' }, own.home)).toMatchObject({ forgotten: 1 });
    await loci(['config', 'set', 'writes.enabled', 'true'], own);
    await asAgent(storeFact, { key: 'framework', value: 'Vue', category: 'project' }, own.home);
    expect(await lociJson<Fact>(['fact', 'recall', 'framework'], own)).toMatchObject({
      value: 'Vue',
      trust: 'agent',
    });
  });

  it('is stored in user_facts for 90 days by default, and a new value replaces it', async () => {
    const own = newHome();
    const stored = await store(own, 'framework', 'React', '--tag', 'web');
    expect(stored).toMatchObject({ key: 'framework', category: 'user_facts', replaced: false });
    expect(secondsLeft(stored)).toBeGreaterThan(90 * DAY - 60);
    expect(secondsLeft(stored)).toBeLessThanOrEqual(90 * DAY);
    expect(await lociJson<Fact>(['fact', 'recall', 'framework'], own)).toMatchObject({
      value: 'React',
      tags: ['web'],
      trust: 'operator',
      expires_at: stored.expires_at,
    });
    const again = await loci(['fact', 'store', 'framework', 'Vue,', 'with', 'TypeScript'], own);
    expect(again.stdout).toMatch(
      /^Stored framework in user_facts and replaced its previous value; it expires on /,
    );
    expect((await loci(['fact', 'recall', 'framework', '--plain'], own)).stdout).toBe(
      'Vue, with TypeScript\n',
    );
    expect((await loci(['fact', 'list'], own)).stdout).toMatch(
      /^framework {2}Vue, with TypeScript {2}just now {2}2mo left\n\n1 fact\n$/,
    );
    const { results } = await lociJson<SearchOutput>(['search', 'typescript'], own);
    expect(results).toMatchObject([{ id: stored.id, origin: 'fact', title: 'framework' }]);
  });

  it('has a lifetime between an hour and 365 days', async () => {
    const own = newHome();
    const lived = async (seconds: number) =>
      secondsLeft(await store(own, 'k', 'v', '--ttl-seconds', String(seconds)));
    for (const seconds of [HOUR, 365 * DAY])
      expect(Math.abs((await lived(seconds)) - seconds)).toBeLessThan(60);
    for (const [seconds, must] of [
      ['3599', 'at least 3600'],
      ['31536001', 'at most 31536000'],
      ['0', 'at least 3600'],
      ['-3600', 'at least 3600'],
      ['3600.5', 'a whole number'],
      ['1h', 'a number'],
    ]) {
      const refused = await refusal(['fact', 'store', 'other', 'v', `--ttl-seconds=${String(seconds)}`], own);
      expect(refused, seconds).toMatchObject({ exit: 2, code: 'invalid_input' });
      expect(refused['message'], seconds).toContain(`--ttl-seconds must be ${String(must)}, not `);
    }
    expect(await keys(own)).toEqual(['k']);
  });

  it('is in no output as soon as it expires', async () => {
    const own = newHome();
    await store(own, 'quuxian', 'The quuxian colour is green', '--ttl-seconds', '3600');
    await store(own, 'other', 'The other colour is red');
    const { store: held } = await lociJson<StatusOutput>(['status'], own);
    const db = new DatabaseSync(held.path);
    db.prepare("UPDATE record SET expires_at = ? WHERE key = 'quuxian'").run(Date.now() - 1);
    db.close();

    expect(await refusal(['fact', 'recall', 'quuxian'], own)).toMatchObject({ exit: 4, code: 'not_found' });
    expect(await lociJson<FactListOutput>(['fact', 'list'], own)).toMatchObject({
      facts: [{ key: 'other' }],
      total: 1,
    });
    const { categories } = await lociJson<FactCategoriesOutput>(['fact', 'categories'], own);
    expect(categories).toEqual([{ name: 'user_facts', count: 1, recent_keys: ['other'] }]);
    expect((await lociJson<SearchOutput>(['search', 'quuxian', '--min-score', '0'], own)).results).toEqual(
      [],
    );
    const { documents } = await lociJson<CorpusOutput>(['corpus'], own);
    expect(documents.map(({ path }) => path)).toEqual(['facts/user_facts/other']);
    expect(await lociJson<StatusOutput>(['status'], own)).toMatchObject({ records: 1 });
    expect(await refusal(['undelete', '1'], own)).toMatchObject({ exit: 4, code: 'gone' });
  });

  it('cannot be stored in a category of the history', async () => {
    const own = newHome();
    await store(own, 'k', 'v');
    for (const category of ['pack_history', 'pipeline_history']) {
      const message = `the category ${category} is reserved for the engine`;
      const refused = { exit: 2, code: 'invalid_input', message };
      expect(await refusal(['fact', 'store', 'k', 'v', '--category', category], own)).toMatchObject(refused);
      expect(await refusal(['fact', 'forget', '--category', category], own)).toMatchObject(refused);
      await expect(asAgent(storeFact, { key: 'k', value: 'v', category }, own.home)).rejects.toMatchObject({
        code: 'invalid_input',
        status: 400,
      });
    }
    expect(await keys(own)).toEqual(['k']);
  });

  it('can be forgotten by key, by prefix or by category, and restored', async () => {
    const own = newHome();
    for (const [key, category] of [
      ['deploy.how', 'work'],
      ['deploy.when', 'work'],
      ['deploy.who', 'people'],
      ['os', 'work'],
      ['tea', 'people'],
    ] as const)
      await store(own, key, `the value of ${key}`, '--category', category);
    const forgotten = await lociJson<FactForgetOutput>(
      ['fact', 'forget', '--prefix', 'deploy.', '--category', 'work'],
      own,
    );
    expect(forgotten.facts.map(({ key }) => key).toSorted()).toEqual(['deploy.how', 'deploy.when']);
    expect(await keys(own)).toEqual(['tea', 'os', 'deploy.who']);
    expect((await loci(['fact', 'forget', 'tea'], own)).stdout).toBe(
      'Forgot tea in people. `loci undelete 5` restores it.\n',
    );
    expect((await loci(['undelete', '5'], own)).stdout).toMatch(/^Restored record\/5 \(tea\)\./);
    expect(await keys(own, '--category', 'people')).toEqual(['tea', 'deploy.who']);
    expect((await loci(['fact', 'forget', '--category', 'people'], own)).stdout).toMatch(/^Forgot 2 facts; /);
    expect(await keys(own)).toEqual(['os']);
    expect((await loci(['fact', 'forget', '--prefix', 'none'], own)).stdout).toMatch(/^No fact matches/);
    expect(await refusal(['fact', 'forget'], own)).toMatchObject({
      exit: 2,
      hint: 'Give a key, a prefix or a category.',
    });
    expect(await refusal(['fact', 'forget', 'none'], own)).toMatchObject({
      exit: 4,
      code: 'not_found',
      hint: '`loci fact list` lists all keys.',
    });
    expect(await lociJson<FactForgetOutput>(['fact', 'forget', 'os'], own)).toMatchObject({ forgotten: 1 });
    await store(own, 'os', 'Linux', '--category', 'work');
    expect(await refusal(['undelete', '4'], own)).toMatchObject({ exit: 5, code: 'conflict' });
  });

  it('that does not exist is an error with the nearest key, or the category that has the key', async () => {
    const own = newHome();
    await store(own, 'preferred_framework', 'Svelte');
    await store(own, 'os', 'Linux', '--category', 'work');
    const all = '`loci fact list` lists all keys.';
    const hint = async (...args: string[]): Promise<unknown> =>
      (await refusal(['fact', ...args], own))['hint'];
    const meant = `Did you mean "preferred_framework"? ${all}`;
    expect(await hint('recall', 'prefered_framwork')).toBe(meant);
    expect(await hint('forget', 'prefered_framwork')).toBe(meant);
    expect(await hint('recall', 'prefered_framwork', '--category', 'work')).toBe(all);
    expect(await hint('recall', 'os', '--category', 'user_facts')).toBe(`The category work has it. ${all}`);
    expect(await hint('recall', 'quuxian')).toBe(all);
  });

  it('whose key is in several categories must be named with its category', async () => {
    const own = newHome();
    await store(own, 'os', 'Linux', '--category', 'work');
    await store(own, 'os', 'BSD', '--category', 'home');
    expect(await refusal(['fact', 'recall', 'os'], own)).toMatchObject({
      exit: 4,
      code: 'ambiguous',
      message: '"os" is in several categories: home, work',
    });
    expect(await lociJson<Fact>(['fact', 'recall', 'os', '--category', 'home'], own)).toMatchObject({
      value: 'BSD',
    });
    await store(own, 'os', 'Plan 9');
    expect(await lociJson<Fact>(['fact', 'recall', 'os'], own)).toMatchObject({ value: 'Plan 9' });
    expect((await loci(['fact', 'categories'], own)).stdout).toBe(
      'home        1 fact  os\nuser_facts  1 fact  os\nwork        1 fact  os\n',
    );
  });

  it('is listed in pages, and by tag', async () => {
    const own = newHome();
    for (const key of ['a', 'b', 'c']) await store(own, key, 'v', '--tag', key === 'b' ? 'odd' : 'even,x');
    expect(await keys(own, '--tag', 'even')).toEqual(['c', 'a']);
    const page = await lociJson<FactListOutput>(['fact', 'list', '-n', '2'], own);
    expect(page).toMatchObject({ facts: [{ key: 'c' }, { key: 'b' }], total: 3, next: 2 });
    expect((await loci(['fact', 'list', '-n', '2'], own)).stdout).toContain(
      '2 of 3 facts; `--after 2` shows the next page',
    );
    expect(await keys(own, '--after', '2')).toEqual(['a']);
  });

  it('may be stored and forgotten by an agent that may not write, and has the trust of an agent', async () => {
    const own = newHome();
    await store(own, 'os', 'Linux');
    await asAgent(storeFact, { key: 'tea', value: 'green', idempotency_key: 'k' }, own.home);
    const again = await asAgent(storeFact, { key: 'tea', value: 'green', idempotency_key: 'k' }, own.home);
    expect(again.replayed).toBe(true);
    expect(await asAgent(recallFact, { key: 'tea' }, own.home)).toMatchObject({
      value: 'green',
      trust: 'agent',
    });
    expect((await loci(['fact', 'list'], own)).stdout.split('\n').slice(0, 2)).toEqual([
      'tea  agent  green  just now  2mo left',
      'os          Linux  just now  2mo left',
    ]);
    expect(await asAgent(forgetFacts, { key: 'tea' }, own.home)).toMatchObject({ forgotten: 1 });
  });
});
