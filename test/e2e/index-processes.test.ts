import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import { letterVectors, OLLAMA, startProvider } from '../embedding/provider-server.ts';
import { expireLeases, hasLease } from '../faults/first-batch.ts';
import { loci, lociJson, type RunningLoci, startLoci, temporaryFolder } from './loci-command.ts';

const NOTES = 450;
let home: string;
let notes: string;
let env: NodeJS.ProcessEnv;
/** How many more requests of notes the provider answers. */
let answersLeft: number;

/** More notes than are related at once, and a provider. */
beforeEach(async () => {
  home = join(temporaryFolder(), 'home');
  notes = temporaryFolder();
  answersLeft = 2;
  for (let i = 0; i < NOTES; i++)
    writeFileSync(join(notes, `note ${String(i)}.md`), `Number ${String(i)}: the oven of the kitchen moves.`);
  const server = await startProvider({
    ...{ format: OLLAMA, embed: letterVectors(384) },
    refuse: ({ texts }) =>
      !texts.some((text) => text.includes('Number')) || answersLeft-- > 0 ? undefined : 'hang',
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const model = { LOCI_EMBEDDING_PROVIDER: 'ollama', LOCI_EMBEDDING_MODEL: 'all-minilm' };
  env = { ...model, LOCI_EMBEDDING_URL: server.origin };
});

function start(args: readonly string[]): RunningLoci {
  const running = startLoci(args, { home, env });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return running;
}

/** Resolves when the process has written the text to standard error. */
async function saysOf({ child, ended }: RunningLoci, text: string): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(text)) resolve();
    });
    void ended.then(({ stdout, stderr }) => reject(new Error(`it ended: ${stdout}${stderr}`)));
  });
}

it('a second process names the one that embeds, and waits for it or returns at once', async () => {
  const first = start(['index', notes]);
  const name = `process ${String(first.child.pid)}`;
  const embedding = async () => (await lociJson<StatusOutput>(['status'], { home, env })).embedding;
  await vi.waitUntil(
    async () => existsSync(join(home, 'loci.db')) && (await embedding()).running_in === name,
    { timeout: 60_000, interval: 50 },
  );
  const found = await lociJson<SearchOutput>(['search', 'oven kitchen'], { home, env });
  expect(found.results.length).toBeGreaterThan(0);
  expect(found.missing).toMatchObject([
    { signal: 'vector', why: expect.stringContaining(`${name} is embedding it`) },
  ]);
  const atOnce = await lociJson<IndexOutput>(['index', '--no-wait'], { home, env });
  expect(atOnce).toMatchObject({ embedded: 0, embedded_by: name });
  expect(atOnce.pending).toBeGreaterThan(0);
  const waiting = start(['index']);
  await saysOf(waiting, `waiting for ${name} to embed: `);
  first.child.kill('SIGKILL');
  await first.ended;
  expireLeases(home);
  answersLeft = Infinity;
  expect((await waiting.ended).stdout).toMatch(/\d+ texts embedded\.$/m);
  expect((await embedding()).pending).toBe(0);
});

it('a process in the background embeds what was read', async () => {
  const linked = join(notes, 'not a note');
  writeFileSync(linked, 'precious');
  mkdirSync(home, { mode: 0o700 });
  symlinkSync(linked, join(home, 'background.log'));
  const { code, stdout } = await start(['index', notes, '--background', '--json']).ended;
  expect(code).toBe(0);
  const { pending, embedded, embedded_by: name, vaults } = JSON.parse(stdout) as IndexOutput;
  expect(vaults).toMatchObject([{ added: NOTES }]);
  expect([pending, embedded]).toEqual([NOTES, 0]);
  const pid = Number(/^process (\d+)$/.exec(name ?? '')?.[1]);
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  // The status names it from the moment on at which the command has ended.
  expect((await lociJson<StatusOutput>(['status'], { home, env })).embedding.running_in).toBe(name);
  await expect
    .poll(async () => (await lociJson<StatusOutput>(['status'], { home, env })).embedding)
    .toMatchObject({
      running_in: name,
      pending: expect.toSatisfy((left: number) => left < NOTES) as number,
      left_ms: expect.any(Number),
    });
  expect((await loci(['status'], { home, env })).stdout).toMatch(
    /^embeddings .* to embed: process \d+ is working on it, \d+% done, [\d.]+ (?:s|min) left$/m,
  );
  // The memory that V8 reserves for new objects is limited.
  const command = `/proc/${String(pid)}/cmdline`;
  if (existsSync(command)) expect(readFileSync(command, 'utf8')).toContain('--max-semi-space-size=');
  expect(statSync(join(home, 'background.log')).mode & 0o777).toBe(0o600);
  expect(readFileSync(linked, 'utf8')).toBe('precious');
  expect(readFileSync(join(home, 'background.log'), 'utf8')).not.toContain('error');
});

it('an index of many notes ends when search works, and a process in the background relates them, again after it was killed', async () => {
  const options = { home, env: { LOCI_EMBEDDING_PROVIDER: 'none' } };
  const running = startLoci(['index', notes, '--json'], options);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const first = JSON.parse((await running.ended).stdout) as IndexOutput;
  expect(first).toMatchObject({ unrelated: NOTES, vaults: [{ added: NOTES }] });
  const pid = Number(/^process (\d+)$/.exec(first.related_by ?? '')?.[1]);
  let isKilled = false;
  onTestFinished(() => {
    if (!isKilled) process.kill(pid, 'SIGKILL');
  });
  const relations = async (): Promise<StatusOutput['relations']> =>
    (await lociJson<StatusOutput>(['status'], options)).relations;
  // It is stopped as soon as it has begun, because it would soon be done.
  await expect.poll(() => hasLease(home, pid), { interval: 1 }).toBe(true);
  process.kill(pid, 'SIGSTOP');
  expect(await relations()).toMatchObject({ running_in: first.related_by });
  const found = await lociJson<SearchOutput>(['search', 'oven kitchen'], options);
  expect(found.results.length).toBeGreaterThan(0);
  process.kill(pid, 'SIGKILL');
  isKilled = true;
  expireLeases(home);
  expect((await relations()).unrelated).toBeGreaterThan(0);
  const waited = await lociJson<IndexOutput>(['index', '--wait'], options);
  expect(waited).toMatchObject({ unrelated: 0, related_by: null });
  expect(await relations()).toEqual({ unrelated: 0, share: 1, running_in: null });
});
