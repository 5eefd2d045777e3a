import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeNotes } from '../contract/engines.ts';
import {
  type CommandResult,
  loci as runLoci,
  lociJson,
  type RunOptions,
  startLoci,
  temporaryFolder,
} from './loci-command.ts';

/** What a terminal interprets. */
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

interface Recalled {
  readonly results: readonly { readonly uri: string; readonly metadata: Readonly<Record<string, unknown>> }[];
}

let home: string;
let notes: string;

const settingsOf = (folder: string): string => `
adapters:
  vaultRoot: ${folder}
  agents:
    - id: ada
      roles: [finance]
  pools:
    - { id: notes, tier: hot, path: notes }
    - { id: 'a,b', tier: warm, path: commas }
    - { id: boss, tier: hot, path: boss, agents: [boss, ../../etc/passwd] }
    - { id: money, tier: warm, path: money, roles: [finance] }
    - { id: archive, tier: cold, path: archive }
`;

beforeEach(async () => {
  const folder = temporaryFolder();
  [home, notes] = [join(folder, 'home'), join(folder, 'notes')];
  await writeNotes(folder, {
    'home/loci.yaml': settingsOf(folder),
    'notes/Oven.md': '---\nproject: kitchen\n---\n# Oven\n\nWe chose induction for the oven.',
    'notes/Garden.md': '---\nproject: garden\n---\n\nAn oven for pizza stands in the garden.',
    'commas/Comma.md': 'An oven with a comma.',
    'boss/Secret.md': 'The oven of the boss.',
    'money/Budget.md': 'The oven costs 900.',
    'archive/Old.md': 'The oven of 1998.',
  });
});

/** The progress, which a busy machine shows, is left out. */
async function loci(args: readonly string[], options: RunOptions): Promise<CommandResult> {
  const result = await runLoci(args, options);
  const stderr = result.stderr.replaceAll(/^loci: (?:reading|embedding|Search works now)\b.*\n/gm, '');
  return { ...result, stderr };
}

const recall = (args: readonly string[], options: Partial<RunOptions> = {}): Promise<CommandResult> =>
  loci(['recall', ...args], { home, ...options });

/** The titles of what is found, sorted. */
async function found(...args: readonly string[]): Promise<unknown[]> {
  const { results } = await lociJson<Recalled>(['recall', 'oven', ...args], { home });
  return results.map(({ metadata }) => metadata['title']).sort();
}

describe('loci recall', () => {
  it('prints the title, the place and an excerpt of what the agent main sees', async () => {
    const { code, stdout, stderr } = await recall(['which', 'oven', '--pool', 'notes', '--limit', '1']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replaceAll(/\d+(\.\d+)? ms|score \S+/g, 'N')).toBe(
      `1. Oven\n   ${notes}/Oven.md#L1-L6\n   From notes (hot) · N\n   │ # Oven\n   │ We chose induction for the oven.\n\n1 result in N, with filesystem\n`,
    );
  });

  it.each([
    ['', 'Comma Garden Oven'],
    ['--agent ada', 'Budget Comma Garden Oven'],
    ['--agent ../../etc/passwd --tier hot', 'Garden Oven Secret'],
    ['--agent __proto__', 'Comma Garden Oven'],
    ['--tier warm,cold', 'Comma Old'],
    ['--tier hot --tier cold', 'Garden Old Oven'],
    ['--pool a,b', 'Comma'],
    ['--pool notes,archive', 'Garden Oven'],
    ['--filter project=kitchen --filter project=garden', 'Garden Oven'],
    ['--filter project=kitchen --filter status=done', ''],
    ['--filter __proto__=x', ''],
  ])('finds with %j: %j', async (args, titles) =>
    expect(await found(...args.split(' ').filter((word) => word !== ''))).toEqual(
      titles.split(' ').filter((word) => word !== ''),
    ),
  );

  it.each(['filesystem', 'loci'])('finds a note as it is now, with %s', async (adapter) => {
    const args = ['--adapter', adapter, '--pool', 'notes'];
    expect(await found(...args)).toEqual(['Garden', 'Oven']);
    writeFileSync(join(notes, 'New.md'), 'An oven that is new.');
    rmSync(join(notes, 'Garden.md'));
    expect(await found(...args)).toEqual(['New', 'Oven']);
    const env = { LOCI_MEMORY_ADAPTER: adapter };
    const { results, ...answer } = await lociJson<Recalled>(['recall', 'new'], { home, env });
    expect(answer).toEqual({ query: 'new', agent: 'main', adapter, took_ms: expect.any(Number) as number });
    expect(results).toMatchObject([{ uri: expect.stringMatching(/\/New\.md/) as string }]);
  });

  it('says that nothing was found, and what was not searched', async () => {
    expect(await recall(['zebra'])).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'No results for "zebra".\nTry other words or fewer filters.\n' +
        'Cold pools were not searched: `--tier hot,warm,cold` searches all.\n',
    });
  });

  it.each<[args: string[], message: RegExp]>([
    [[], /^loci: QUERY is missing\n/],
    [['x', '--adapter', 'mongo'], /^loci: --adapter must be one of filesystem, lancedb, loci, not "mongo"\n/],
    [['x', '--tier', 'hot,tepid'], /^loci: --tier must be hot, warm or cold, .* not "hot,tepid"\n/],
    [['x', '--filter', 'project'], /^loci: --filter must be a key and a value, .* not "project"\n/],
    [['x', '--limit', '0'], /^loci: --limit must be a whole number from 1 to 1000, not "0"\n/],
    [['x', '--mode', 'graph'], /^loci: --mode must be keyword or semantic, not "graph"\n/],
    [['x', '--mode', 'semantic'], /^loci: --mode semantic: the adapter filesystem does not have it/],
    [
      ['x', '--pool', 'boss'],
      /^loci: --pool: the agent main sees no pool "boss"\n *It sees notes, a,b, archive\.\n/,
    ],
    [['x', '--pool', '\u001b[2J'], /^loci: --pool: the agent main sees no pool "\\u001b\[2J"\n/],
  ])('refuses %j with the name of what is wrong', async (args, message) => {
    const { code, stdout, stderr } = await recall(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('shows characters that a terminal interprets, in titles, paths and texts, as others', async () => {
    const evil = '\u001b]0;title\u0007\u202e\u009b2J';
    await writeNotes(notes, {
      [`zebra${evil}\nx.md`]: `---\ntitle: "zebra \\e[2J"\n---\nA zebra ${evil} is here.`,
    });
    const env = { NO_COLOR: '1' };
    const { code, stdout } = await recall([`zebra ${evil}`], { terminal: true, env });
    expect(code).toBe(0);
    expect(stdout).toContain('is here.');
    expect(stdout).not.toMatch(CONTROL);
    const json = await recall(['zebra', '--json']);
    expect(json.stdout).not.toMatch(CONTROL);
    const { results } = JSON.parse(json.stdout) as Recalled;
    expect(results[0]!.metadata).toMatchObject({ title: 'zebra \u001b[2J', path: `zebra${evil}\nx.md` });
    expect((await recall(['zebra'], { terminal: true })).stdout).toMatch(/^1\. \u001b\[1mzebra/);
  });

  it('fails if the adapter fails, which is not the same as to find nothing', async () => {
    const env = { LOCI_ADAPTERS_DEADLINE: '1ms' };
    const { code, stdout, stderr } = await recall(['oven'], { env });
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    expect(stderr).toMatch(/^loci: the pools could not be searched: the recall took longer than 1 ms/);
    expect(JSON.parse((await recall(['oven', '--json'], { env })).stdout)).toMatchObject({
      error: { code: 'unreadable' },
    });
  });

  it('warns of folders that are gone, and tells nothing of those that the agent does not see', async () => {
    for (const pool of ['commas', 'boss', 'archive']) rmSync(join(home, '..', pool), { recursive: true });
    const { code, stdout, stderr } = await recall(['oven']);
    expect(code).toBe(0);
    expect(stdout).toContain('2 results in ');
    expect(stderr).toMatch(/^loci: warning: the pool a,b is empty: \S+\/commas cannot be read: [^\n]+\n$/);
  });

  it('stops at Ctrl-C', async () => {
    const server = createServer(() => child.kill('SIGINT')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const env = {
      LOCI_EMBEDDING_PROVIDER: 'ollama',
      LOCI_EMBEDDING_URL: `http://127.0.0.1:${String(port)}`,
      LOCI_MEMORY_ADAPTER: 'loci',
    };
    const { child, ended } = startLoci(['recall', 'oven'], { home, env });
    expect((await ended).code).toBe(130);
  });
});

describe('settings without pools', () => {
  it('are explained with what to write', async () => {
    const empty = join(temporaryFolder(), 'home');
    const { code, stdout, stderr } = await loci(['recall', 'oven'], { home: empty });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    const [, value = ''] = /`loci config set adapters\.pools '([^']+)'`/.exec(stderr) ?? [];
    const set = ['config', 'set', 'adapters.pools', value.replace('~/notes', notes)];
    expect(await loci(set, { home: empty })).toMatchObject({ code: 0 });
    expect((await loci(['recall', 'induction'], { home: empty })).stdout).toMatch(/^1\. Oven\n/);
  });
});

it('a pool that leads out of the root is refused with its place in the settings', async () => {
  const pools = '[{ id: a, tier: hot, path: ../x }]';
  writeFileSync(join(home, 'loci.yaml'), `adapters:\n  pools: ${pools}\n  vaultRoot: /vault\n`);
  const { code, stderr } = await recall(['oven']);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^loci: loci\.yaml:2: .* its path "\.\.\/x" leads out of the root of the vault\n/);
});

describe('loci recall --status', () => {
  it('shows the pools and what the adapter has of them', async () => {
    for (const [adapter, ...more] of [['filesystem'], ['loci', '--wait']]) {
      const words = ['recall', '--status', '--adapter', adapter!, ...more];
      const { code, stdout, stderr } = await loci(words, { home });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(
        new RegExp(`^adapter +${adapter!}\npools +notes \\(hot\\), for all agents: ${notes}\n`),
      );
      expect(stdout).toMatch(
        /\n +archive \(cold\), for all agents: \S+\/archive\n(.*\n)+No problems found\.\n$/,
      );
    }
    const status = await lociJson(['recall', '--status', '--adapter', 'loci'], { home });
    expect(status).toMatchObject({ ok: true, details: { adapter: 'loci', pools: { length: 5 } } });
  });

  it('names what is wrong, and its exit code is 1', async () => {
    rmSync(join(home, '..', 'boss'), { recursive: true });
    const { code, stdout } = await loci(['recall', '--status'], { home });
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nthe pool boss is empty: \S+\/boss cannot be read: [^\n]+\n$/);
    expect(await loci(['recall', '--status'], { home: join(temporaryFolder(), 'home') })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('none: docs/adapters.md') as string,
    });
  });
});
