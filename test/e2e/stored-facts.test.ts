import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { CorpusOutput } from '../../src/operations/nouns/facts.ts';
import type {
  FactCategoriesOutput,
  Fact,
  FactForgetOutput,
  FactListOutput,
  FactStoreOutput,
} from '../../src/engine/facts/fact-fields.ts';
import { factOperations } from '../../src/operations/nouns/facts.ts';
import type { GetOutput } from '../../src/engine/records/get.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import { recordOperations } from '../../src/operations/nouns/records.ts';
import { runAsAgent } from './agent-call.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

interface HomeOptions {
  readonly home: string;
}

function newHome(): HomeOptions {
  return { home: join(temporaryFolder(), 'home') };
}

function store(
  options: HomeOptions,
  key: string,
  value: string,
  ...args: string[]
): Promise<FactStoreOutput> {
  return lociJson(['fact', 'store', key, value, ...args], options);
}

async function keys(options: HomeOptions, ...args: string[]): Promise<string[]> {
  const { facts } = await lociJson<FactListOutput>(['fact', 'list', ...args], options);
  return facts.map(({ key }) => key);
}

/** The `error` of a command that fails, and its exit code. */
async function refusal(args: readonly string[], options: HomeOptions): Promise<Record<string, unknown>> {
  const { code: exit, stdout } = await loci([...args, '--json'], options);
  return { exit, ...(JSON.parse(stdout) as { error: Record<string, unknown> }).error };
}

function secondsLeft({ expires_at }: { expires_at: string }): number {
  return (Date.parse(expires_at) - Date.now()) / 1000;
}

describe('a fact', () => {
  it('of the operator cannot be replaced by agents, unless they may write', async () => {
    const options = newHome();
    await store(options, 'framework', 'Svelte', '--category', 'project');
    await runAsAgent(
      factOperations['fact-store'],
      { key: 'db', value: 'SQLite', category: 'project' },
      options.home,
    );
    await runAsAgent(
      factOperations['fact-store'],
      { key: 'db', value: 'SQLite 3', category: 'project' },
      options.home,
    );
    const attempts: readonly (() => Promise<unknown>)[] = [
      () =>
        runAsAgent(
          factOperations['fact-store'],
          { key: 'framework', value: 'jQuery', category: 'project' },
          options.home,
        ),
      () => runAsAgent(factOperations['fact-forget'], { key: 'framework' }, options.home),
      () => runAsAgent(factOperations['fact-forget'], { prefix: 'frame' }, options.home),
      () => runAsAgent(factOperations['fact-forget'], { category: 'project' }, options.home),
      () => runAsAgent(recordOperations.delete, { id: 1 }, options.home),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({
        code: 'writes_disabled',
        message: expect.stringContaining('the operator stored "framework"') as string,
      });
    expect(await keys(options)).toEqual(expect.arrayContaining(['framework', 'db']));
    await loci(['fact', 'forget', 'framework'], options);
    await expect(runAsAgent(recordOperations.undelete, { id: 1 }, options.home)).rejects.toMatchObject({
      code: 'writes_disabled',
    });
    await loci(['undelete', '1'], options);
    expect(await runAsAgent(factOperations['fact-forget'], { key: 'db' }, options.home)).toMatchObject({
      forgotten: 1,
    });
    await loci(['config', 'set', 'writes.enabled', 'true'], options);
    await runAsAgent(
      factOperations['fact-store'],
      { key: 'framework', value: 'Vue', category: 'project' },
      options.home,
    );
    expect(await lociJson<Fact>(['fact', 'recall', 'framework'], options)).toMatchObject({
      value: 'Vue',
      trust: 'agent',
    });
  });

  it('is stored in user_facts for 90 days by default, and a new value replaces it', async () => {
    const options = newHome();
    const stored = await store(options, 'framework', 'React', '--tag', 'web');
    expect(stored).toMatchObject({ key: 'framework', category: 'user_facts', replaced: false });
    expect(secondsLeft(stored)).toBeGreaterThan(90 * DAY - 60);
    expect(secondsLeft(stored)).toBeLessThanOrEqual(90 * DAY);
    expect(await lociJson<Fact>(['fact', 'recall', 'framework'], options)).toMatchObject({
      value: 'React',
      tags: ['web'],
      trust: 'operator',
      expires_at: stored.expires_at,
    });
    const replaced = await loci(['fact', 'store', 'framework', 'Vue,', 'with', 'TypeScript'], options);
    expect(replaced.stdout).toMatch(
      /^Stored framework in user_facts and replaced its previous value; it expires on /,
    );
    expect((await loci(['fact', 'recall', 'framework', '--plain'], options)).stdout).toBe(
      'Vue, with TypeScript\n',
    );
    expect((await loci(['fact', 'list'], options)).stdout).toMatch(
      /^framework {2}Vue, with TypeScript {2}just now {2}3mo left\n\n1 fact\n$/,
    );
    const { results } = await lociJson<SearchOutput>(['search', 'typescript'], options);
    expect(results).toMatchObject([{ id: stored.id, origin: 'fact', title: 'framework' }]);
  });

  it('has a lifetime between an hour and 365 days', async () => {
    const options = newHome();
    const storedLifetime = async (expires: string) =>
      secondsLeft(await store(options, 'k', 'v', '--expires', expires));
    for (const [expires, seconds] of [
      ['1h', HOUR],
      ['365d', 365 * DAY],
    ] as const)
      expect(Math.abs((await storedLifetime(expires)) - seconds)).toBeLessThan(60);
    for (const expires of ['59m', '366d', '0', '-1h', '3600', 'never']) {
      const refused = await refusal(['fact', 'store', 'other', 'v', `--expires=${expires}`], options);
      expect(refused, expires).toMatchObject({ exit: 2, code: 'invalid_input' });
      expect(refused['message'], expires).toContain('--expires must be a duration from 1h to 365d');
    }
    expect(await keys(options)).toEqual(['k']);
  });

  it('is in no output as soon as it expires', async () => {
    const options = newHome();
    await store(options, 'quuxian', 'The quuxian colour is green', '--expires', '1h');
    await store(options, 'other', 'The other colour is red');
    const { store: storeStatus } = await lociJson<StatusOutput>(['status'], options);
    const db = new DatabaseSync(storeStatus.path);
    db.prepare("UPDATE record SET expires_at = ? WHERE key = 'quuxian'").run(Date.now() - 1);
    db.close();

    expect(await refusal(['fact', 'recall', 'quuxian'], options)).toMatchObject({
      exit: 4,
      code: 'not_found',
    });
    expect(await lociJson<FactListOutput>(['fact', 'list'], options)).toMatchObject({
      facts: [{ key: 'other' }],
      total: 1,
    });
    const { categories } = await lociJson<FactCategoriesOutput>(['fact', 'categories'], options);
    expect(categories).toEqual([{ name: 'user_facts', count: 1, recent_keys: ['other'] }]);
    expect(
      (await lociJson<SearchOutput>(['search', 'quuxian', '--min-score', '0'], options)).results,
    ).toEqual([]);
    const { documents } = await lociJson<CorpusOutput>(['fact', 'corpus'], options);
    expect(documents.map(({ path }) => path)).toEqual(['facts/user_facts/other']);
    const read = await lociJson<GetOutput>(['get', 'facts/user_facts/other'], options);
    expect(read.text).toBe(documents[0]?.content);
    expect(await lociJson<StatusOutput>(['status'], options)).toMatchObject({ records: 1 });
    expect(await refusal(['undelete', '1'], options)).toMatchObject({ exit: 4, code: 'gone' });
  });

  it('has no key or category that looks like a secret, because masks would make two of them one', async () => {
    const options = newHome();
    for (const [fact, what] of [
      [['deploy', 'one', '--category', 'password=swordfish'], 'the category has what looks like a secret'],
      [['My PIN is 4821', 'door A'], 'the key has what looks like a secret: PIN'],
    ] as const) {
      const refused = await refusal(['fact', 'store', ...fact], options);
      expect(refused).toMatchObject({ exit: 2, code: 'invalid_input' });
      expect(refused['message']).toContain(what);
      expect(JSON.stringify(refused)).not.toMatch(/swordfish|4821/);
    }
    await store(options, 'other', 'v');
    expect(await keys(options)).toEqual(['other']);
  });

  it('cannot be stored in a category of the history', async () => {
    const options = newHome();
    await store(options, 'k', 'v');
    for (const category of [
      'pack_history',
      'pipeline_history',
      'Pack_History',
      'ｐａｃｋ_history',
      'pack\u200b_history',
      'pa\u00adck_history',
    ]) {
      const message = `the category ${category} is reserved for the engine`;
      const refused = { exit: 2, code: 'invalid_input', message };
      expect(await refusal(['fact', 'store', 'k', 'v', '--category', category], options)).toMatchObject(
        refused,
      );
      expect(await refusal(['fact', 'forget', '--category', category], options)).toMatchObject(refused);
      await expect(
        runAsAgent(factOperations['fact-store'], { key: 'k', value: 'v', category }, options.home),
      ).rejects.toMatchObject({
        code: 'invalid_input',
        status: 400,
      });
    }
    expect(await keys(options)).toEqual(['k']);
  });

  it('can be forgotten by key, by prefix or by category, and restored', async () => {
    const options = newHome();
    for (const [key, category] of [
      ['deploy.how', 'work'],
      ['deploy.when', 'work'],
      ['deploy.who', 'people'],
      ['os', 'work'],
      ['tea', 'people'],
    ] as const)
      await store(options, key, `the value of ${key}`, '--category', category);
    const forgotten = await lociJson<FactForgetOutput>(
      ['fact', 'forget', '--prefix', 'deploy.', '--category', 'work'],
      options,
    );
    expect(forgotten.facts.map(({ key }) => key).toSorted()).toEqual(['deploy.how', 'deploy.when']);
    expect(await keys(options)).toEqual(['tea', 'os', 'deploy.who']);
    expect((await loci(['fact', 'forget', 'tea'], options)).stdout).toBe(
      'Forgot tea in people. `loci undelete 5` restores it.\n',
    );
    expect((await loci(['undelete', '5'], options)).stdout).toMatch(/^Restored record\/5 \(tea\)\./);
    expect(await keys(options, '--category', 'people')).toEqual(['tea', 'deploy.who']);
    expect((await loci(['fact', 'forget', '--category', 'people'], options)).stdout).toMatch(
      /^Forgot 2 facts; /,
    );
    expect(await keys(options)).toEqual(['os']);
    expect((await loci(['fact', 'forget', '--prefix', 'none'], options)).stdout).toMatch(/^No fact matches/);
    expect(await refusal(['fact', 'forget'], options)).toMatchObject({
      exit: 2,
      hint: 'Give a key, a prefix or a category.',
    });
    expect(await refusal(['fact', 'forget', 'none'], options)).toMatchObject({
      exit: 4,
      code: 'not_found',
      hint: '`loci fact list` lists all keys.',
    });
    expect(await lociJson<FactForgetOutput>(['fact', 'forget', 'os'], options)).toMatchObject({
      forgotten: 1,
    });
    await store(options, 'os', 'Linux', '--category', 'work');
    expect(await refusal(['undelete', '4'], options)).toMatchObject({ exit: 5, code: 'conflict' });
  });

  it('that does not exist is an error with the nearest key, or the category that has the key', async () => {
    const options = newHome();
    await store(options, 'preferred_framework', 'Svelte');
    await store(options, 'os', 'Linux', '--category', 'work');
    const all = '`loci fact list` lists all keys.';
    const hint = async (...args: string[]): Promise<unknown> =>
      (await refusal(['fact', ...args], options))['hint'];
    const suggestion = `Did you mean "preferred_framework"? ${all}`;
    expect(await hint('recall', 'prefered_framwork')).toBe(suggestion);
    expect(await hint('forget', 'prefered_framwork')).toBe(suggestion);
    expect(await hint('recall', 'prefered_framwork', '--category', 'work')).toBe(all);
    expect(await hint('recall', 'os', '--category', 'user_facts')).toBe(`The category work has it. ${all}`);
    expect(await hint('recall', 'quuxian')).toBe(all);
  });

  it('whose key is in several categories must be named with its category', async () => {
    const options = newHome();
    await store(options, 'os', 'Linux', '--category', 'work');
    await store(options, 'os', 'BSD', '--category', 'home');
    expect(await refusal(['fact', 'recall', 'os'], options)).toMatchObject({
      exit: 4,
      code: 'ambiguous',
      message: '"os" is in several categories: home, work',
    });
    expect(await lociJson<Fact>(['fact', 'recall', 'os', '--category', 'home'], options)).toMatchObject({
      value: 'BSD',
    });
    await store(options, 'os', 'Plan 9');
    expect(await lociJson<Fact>(['fact', 'recall', 'os'], options)).toMatchObject({ value: 'Plan 9' });
    expect((await loci(['fact', 'categories'], options)).stdout).toBe(
      'home        1 fact  os\nuser_facts  1 fact  os\nwork        1 fact  os\n',
    );
  });

  it('is listed in pages, and by tag', async () => {
    const options = newHome();
    for (const key of ['a', 'b', 'c'])
      await store(options, key, 'v', '--tag', key === 'b' ? 'odd' : 'even,x');
    expect(await keys(options, '--tag', 'even')).toEqual(['c', 'a']);
    const page = await lociJson<FactListOutput>(['fact', 'list', '-n', '2'], options);
    expect(page).toMatchObject({ facts: [{ key: 'c' }, { key: 'b' }], total: 3, next: 2 });
    expect((await loci(['fact', 'list', '-n', '2'], options)).stdout).toContain(
      '2 of 3 facts; `--after 2` shows the next page',
    );
    expect(await keys(options, '--after', '2')).toEqual(['a']);
  });

  it('may be stored and forgotten by an agent that may not write, and has the trust of an agent', async () => {
    const options = newHome();
    await store(options, 'os', 'Linux');
    await runAsAgent(
      factOperations['fact-store'],
      { key: 'tea', value: 'green', idempotency_key: 'k' },
      options.home,
    );
    const repeated = await runAsAgent(
      factOperations['fact-store'],
      { key: 'tea', value: 'green', idempotency_key: 'k' },
      options.home,
    );
    expect(repeated.replayed).toBe(true);
    expect(await runAsAgent(factOperations['fact-recall'], { key: 'tea' }, options.home)).toMatchObject({
      value: 'green',
      trust: 'agent',
    });
    expect((await loci(['fact', 'list'], options)).stdout.split('\n').slice(0, 2)).toEqual([
      'tea  agent  green  just now  3mo left',
      'os          Linux  just now  3mo left',
    ]);
    expect(await runAsAgent(factOperations['fact-forget'], { key: 'tea' }, options.home)).toMatchObject({
      forgotten: 1,
    });
  });
});
