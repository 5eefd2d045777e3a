import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Embedder } from '../embedder.ts';
import { EmbeddingProcess } from './embedding-process.ts';
import { createLocalEmbedder } from './local.ts';
import { HIDDEN_SIZE } from './model/memory-plan.ts';

/** So many groups that they are for a process of their own. */
const TEXTS = Array.from({ length: 6 }, (_, i) => `Note ${String(i)}: ${'the oven moves, '.repeat(60)}`);

function open(separateProcess: boolean, revectorize = false): Embedder {
  const embedder = createLocalEmbedder({ threads: 1, separateProcess, revectorize });
  onTestFinished(() => embedder.close());
  return embedder;
}

/** The processes that this one, or another, has started and that run. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const isEmbedding = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('embed/local/process');
        return Number(parentPid) === parent && state !== 'Z' && isEmbedding ? [Number(pid)] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

describe('an embedder with a process of its own', () => {
  it('gives the same bits as threads, and embeds queries and single passages in this process', async () => {
    const [threads, separate] = [open(false), open(true, true)];
    await separate.embed(['oven'], { purpose: 'query' });
    await separate.embed(['oven'], { purpose: 'passage' });
    expect(childrenOf(process.pid)).toEqual([]);
    const found = await separate.embed(TEXTS, { purpose: 'passage' });
    expect(childrenOf(process.pid)).toHaveLength(1);
    expect(found).toEqual(await threads.embed(TEXTS, { purpose: 'passage' }));
    await separate.close();
    expect(childrenOf(process.pid)).toEqual([]);
  });

  it('reports a process that ends, and starts another for the next call', async () => {
    const embedder = open(true);
    await embedder.embed(TEXTS, { purpose: 'passage' });
    const failing = embedder.embed(TEXTS, { purpose: 'passage' });
    for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
    await expect(failing).rejects.toMatchObject({ code: 'embedding_unavailable' });
    expect(await embedder.embed(TEXTS, { purpose: 'passage' })).toHaveLength(TEXTS.length);
  });

  it('stops a call when its signal fires, and serves the next', async () => {
    const embedder = open(true);
    const stop = new AbortController();
    const stopped = embedder.embed(TEXTS, { purpose: 'passage', signal: stop.signal });
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    const already = embedder.embed(TEXTS, { purpose: 'passage', signal: stop.signal });
    await expect(already).rejects.toMatchObject({ code: 'aborted' });
    expect(await embedder.embed(TEXTS, { purpose: 'passage' })).toHaveLength(TEXTS.length);
  });
});

it('an embedding process ends after a while without a call, and gets no further call while it does', async () => {
  const embedding = new EmbeddingProcess({ threads: 1, revectorize: false, idleMs: 1 });
  onTestFinished(() => embedding.close());
  await embedding.embed(['oven']);
  // The timer fires in the wait, but the event of the exit is not handled before the next call.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  await nextTimers();
  expect(await embedding.embed(['oven'])).toHaveLength(HIDDEN_SIZE);
  await expect.poll(() => childrenOf(process.pid)).toEqual([]);
});

it('an embedding process serves the next call after calls that ended together', async () => {
  const embedding = new EmbeddingProcess({ threads: 1, revectorize: false, idleMs: 50 });
  onTestFinished(() => embedding.close());
  const stop = new AbortController();
  const both = Promise.allSettled(['a', 'b'].map((text) => embedding.embed([text], stop.signal)));
  stop.abort();
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  // The process takes longer to start than it stays without a call.
  expect(await embedding.embed(['c'])).toHaveLength(HIDDEN_SIZE);
});

/** Resolves once timers that are due have fired. */
function nextTimers(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}

it('an embedding process ends with its host, and does not keep it alive', async () => {
  const local = fileURLToPath(new URL('./local.ts', import.meta.url));
  const start = (afterwards: string) => {
    const code = `
      import { createLocalEmbedder } from ${JSON.stringify(local)};
      const embedder = createLocalEmbedder({ threads: 1, separateProcess: true });
      await embedder.embed(${JSON.stringify(TEXTS)}, { purpose: 'passage' });
      console.log('done');
      ${afterwards}`;
    const host = spawn(process.execPath, ['--input-type=module', '--eval', code]);
    onTestFinished(() => void host.kill('SIGKILL'));
    return host;
  };
  const quiet = start('');
  expect(await once(quiet, 'exit')).toEqual([0, null]);
  const busy = start('setInterval(() => undefined, 1000);');
  await once(busy.stdout, 'data');
  const [child = 0] = childrenOf(busy.pid ?? 0);
  expect(child).toBeGreaterThan(0);
  busy.kill('SIGKILL');
  await expect.poll(() => isRunning(child)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
