import { openEmbedder } from '../../src/embed/registry.ts';
import { installOpenclaw } from '../../test/openclaw/openclaw.ts';
import { startModelServer } from '../../test/openclaw/model-server.ts';
import type { Measure, Section } from '../report.ts';
import { quantile } from '../timing.ts';
import { serveEmbeddings } from './embedding-server.ts';
import {
  memoryMeasures,
  readyMeasures,
  retrievalMeasures,
  searchMeasures,
  writeMeasures,
} from './measures.ts';
import { loadNotes, type Notes } from './notes.ts';
import { memoryOfTree } from './process-figures.ts';
import { type Asked, askEngine, askGateways } from './searches.ts';
import { type Memory, type Servers, type Start, Variant } from './variants.ts';
import { untilFound, untilFileFound } from './writes.ts';

const FILES = 400;
const QUERIES = 200;
const QUICK_QUERIES = 50;
const STARTS = 3;
const WRITES = 20;
const FILE_WRITES = 2;
const MEMORIES: readonly Memory[] = ['none', 'core text', 'core hybrid', 'loci text', 'loci hybrid'];

/**
 * Measures gateways of OpenClaw on the same files: without memory, with its own memory-core and with Loci. Both memories run with
 * full text alone, and with vectors of the local model, which memory-core gets from a server of this process.
 */
export async function measureOpenclaw({ quick }: { readonly quick: boolean }): Promise<Section[]> {
  await installOpenclaw();
  const embedder = await openEmbedder({ provider: 'local' });
  if (embedder === null) throw new Error('there is no local embedder');
  const embeddings = await serveEmbeddings(embedder);
  const model = await startModelServer();
  const notes = loadNotes({ files: FILES, queries: quick ? QUICK_QUERIES : QUERIES });
  const servers: Servers = { model: model.url, embeddings: embeddings.url };
  const variants = MEMORIES.map((memory) => new Variant(memory));
  try {
    await Promise.all(variants.map((variant) => variant.prepare(notes, servers)));
    return await measureAll(variants, notes, quick ? 1 : STARTS);
  } finally {
    for (const variant of variants) {
      await variant.stop();
      variant.home.remove();
    }
    await embeddings.close();
    await model.close();
    await embedder.close();
  }
}

async function measureAll(variants: readonly Variant[], notes: Notes, starts: number): Promise<Section[]> {
  const withMemory = variants.filter(({ memory }) => memory !== 'none');
  const loci = variants.filter(({ isLoci }) => isLoci);
  // The first start of a home also fills caches, so that it is not measured.
  await Promise.all(variants.map((variant) => variant.start()));
  await Promise.all(loci.map((variant) => variant.untilIndexed(notes)));
  const asked = await askGateways(withMemory, notes.queries);
  const byEngine = new Map<Memory, readonly Asked[]>();
  for (const variant of loci) byEngine.set(variant.memory, await askEngine(variant, notes.queries));
  const written = new Map<Memory, readonly number[]>();
  for (const variant of withMemory)
    written.set(
      variant.memory,
      await (variant.isLoci ? untilFound(variant, WRITES) : untilFileFound(variant, FILE_WRITES)),
    );
  const memory = new Map(variants.map((each) => [each.memory, memoryOfTree(each.gateway.pid)]));
  for (const variant of variants) await variant.stop();
  const ready = await startInTurns(
    variants.filter((each) => each.memory === 'none' || each.memory === 'loci hybrid'),
    starts,
  );
  const title = (what: string): string => `${what}, ${String(notes.files.size)} notes`;
  const section = (what: string, measures: readonly Measure[]): Section => ({ title: title(what), measures });
  return [
    section('OpenClaw: memory_search of a gateway', searchMeasures(asked, byEngine)),
    section('OpenClaw: from a write to a search that finds it', writeMeasures(written)),
    section('OpenClaw: the process of the gateway', [...memoryMeasures(memory), ...readyMeasures(ready)]),
    section(`OpenClaw: retrieval, ${notes.set}`, retrievalMeasures(notes.queries, asked, byEngine)),
  ];
}

/** The median start of each gateway. They take turns, so that other load on the machine affects all of them. */
async function startInTurns(
  variants: readonly Variant[],
  starts: number,
): Promise<ReadonlyMap<Memory, Start>> {
  const figures = new Map(variants.map(({ memory }): [Memory, Start[]] => [memory, []]));
  for (let round = 0; round < starts; round++) {
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
      figures.get(variant.memory)!.push(await variant.start());
      await variant.stop();
    }
  }
  const median = (values: readonly number[]): number => quantile(values, 0.5);
  return new Map(
    [...figures].map(([memory, all]) => [
      memory,
      { readyMs: median(all.map(({ readyMs }) => readyMs)), cpuMs: median(all.map(({ cpuMs }) => cpuMs)) },
    ]),
  );
}
