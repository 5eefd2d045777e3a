import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  Fact,
  FactForgetOutput,
  FactListOutput,
  FactStoreOutput,
} from '../../src/engine/facts/fact-fields.ts';
import { factOperations } from '../../src/operations/nouns/facts.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
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
    const category = 'project';
    const storeAsAgent = (key: string, value: string): Promise<unknown> =>
      runAsAgent(factOperations['fact-store'], { key, value, category }, options.home);
    const forgetAsAgent = (input: object): Promise<unknown> =>
      runAsAgent(factOperations['fact-forget'], input, options.home);
    await store(options, 'framework', 'Svelte', '--category', category);
    for (const value of ['SQLite', 'SQLite 3']) await storeAsAgent('db', value);
    for (const attempt of [
      () => storeAsAgent('framework', 'jQuery'),
      () => forgetAsAgent({ key: 'framework' }),
      () => forgetAsAgent({ prefix: 'frame' }),
      () => forgetAsAgent({ category }),
      () => runAsAgent(recordOperations.delete, { id: 1 }, options.home),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'writes_disabled',
        message: expect.stringContaining('the operator stored "framework"') as string,
      });
    expect(await keys(options)).toEqual(expect.arrayContaining(['framework', 'db']));
    await loci(['fact', 'forget', 'framework'], options);
    const undelete = runAsAgent(recordOperations.undelete, { id: 1 }, options.home);
    await expect(undelete).rejects.toMatchObject({ code: 'writes_disabled' });
    await loci(['undelete', '1'], options);
    expect(await forgetAsAgent({ key: 'db' })).toMatchObject({ forgotten: 1 });
    await loci(['config', 'set', 'writes.enabled', 'true'], options);
    await storeAsAgent('framework', 'Vue');
    const recalled = await lociJson<Fact>(['fact', 'recall', 'framework'], options);
    expect(recalled).toMatchObject({ value: 'Vue', trust: 'agent' });
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
    await loci(['fact', 'store', 'framework', 'Vue,', 'with', 'TypeScript'], options);
    const { stdout } = await loci(['fact', 'recall', 'framework', '--plain'], options);
    expect(stdout).toBe('Vue, with TypeScript\n');
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
      const asAgent = runAsAgent(
        factOperations['fact-store'],
        { key: 'k', value: 'v', category },
        options.home,
      );
      await expect(asAgent).rejects.toMatchObject({ code: 'invalid_input', status: 400 });
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
    await loci(['fact', 'forget', 'tea'], options);
    await loci(['undelete', '5'], options);
    expect(await keys(options, '--category', 'people')).toEqual(['tea', 'deploy.who']);
    await loci(['fact', 'forget', '--category', 'people'], options);
    expect(await keys(options)).toEqual(['os']);
    expect(await refusal(['fact', 'forget'], options)).toMatchObject({
      exit: 2,
      hint: 'Give a key, a prefix or a category.',
    });
    expect(await refusal(['fact', 'forget', 'none'], options)).toMatchObject({ exit: 4, code: 'not_found' });
    await loci(['fact', 'forget', 'os'], options);
    await store(options, 'os', 'Linux', '--category', 'work');
    expect(await refusal(['undelete', '4'], options)).toMatchObject({ exit: 5, code: 'conflict' });
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
  });

  it('is listed in pages, and by tag', async () => {
    const options = newHome();
    for (const key of ['a', 'b', 'c'])
      await store(options, key, 'v', '--tag', key === 'b' ? 'odd' : 'even,x');
    expect(await keys(options, '--tag', 'even')).toEqual(['c', 'a']);
    const page = await lociJson<FactListOutput>(['fact', 'list', '-n', '2'], options);
    expect(page).toMatchObject({ facts: [{ key: 'c' }, { key: 'b' }], total: 3, next: 2 });
    expect(await keys(options, '--after', '2')).toEqual(['a']);
  });
});
