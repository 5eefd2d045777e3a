import { openEmbedder } from '../../src/embed/registry.ts';
import { installOpenclaw } from '../../test/openclaw/installation.ts';
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
import { type Asked, askEngine, askGateways, askHost } from './searches.ts';
import { type Memory, type Start, type Surroundings, unpackPlugin, Variant } from './variants.ts';
import { untilFound, untilFileFound } from './writes.ts';

const FILES = 400;
const QUERIES = 200;
const QUICK_QUERIES = 50;
const STARTS = 3;
const WRITES = 20;
const FILE_WRITES = 2;
const HOST_CALLS = 50;
/** Those that take long to prepare come first. */
const MEMORIES: readonly Memory[] = ['core hybrid', 'loci hybrid', 'core text', 'loci text', 'none'];
/** A gateway starts and indexes with about one processor. */
const PREPARED_AT_ONCE = 2;

interface Options {
  /** A folder of the checkout for the plugin. */
  readonly folder: string;
  readonly quick: boolean;
  readonly report: (section: Section) => void;
}

/**
 * Measures gateways of OpenClaw on the same files: without memory, with its own memory-core and with Loci. Both memories run with
 * full text alone, and with vectors of the local model, which memory-core gets from a server of this process.
 */
export async function measureOpenclaw({ folder, quick, report }: Options): Promise<void> {
  await installOpenclaw();
  const embedder = await openEmbedder({ provider: 'local', revectorize: true });
  if (embedder === null) throw new Error('there is no local embedder');
  const embeddings = await serveEmbeddings(embedder);
  const model = await startModelServer();
  const notes = loadNotes({ files: FILES, queries: quick ? QUICK_QUERIES : QUERIES });
  const variants = MEMORIES.map((memory) => new Variant(memory));
  try {
    const plugin = await unpackPlugin(folder);
    await prepareAll(variants, notes, { model: model.url, embeddings: embeddings.url, plugin });
    await measureRunning(variants, notes, report);
    for (const variant of variants) await variant.stop();
    const compared = variants.filter(({ memory }) => memory === 'none' || memory === 'loci hybrid');
    const starts = await startInTurns(compared, quick ? 1 : STARTS);
    report({ title: 'OpenClaw: starts of the gateway', measures: readyMeasures(starts) });
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

/** Starts all gateways with their notes indexed. The first start of a home also fills caches, so that it is not measured. */
async function prepareAll(
  variants: readonly Variant[],
  notes: Notes,
  surroundings: Surroundings,
): Promise<void> {
  const waiting = [...variants];
  const prepareNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await next.prepare(notes, surroundings);
      await next.start();
      if (next.isLoci) await next.untilIndexed(notes);
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: PREPARED_AT_ONCE }, prepareNext));
  // Only now, so that no gateway starts that nobody would stop.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function measureRunning(
  variants: readonly Variant[],
  notes: Notes,
  report: Options['report'],
): Promise<void> {
  const section = (what: string, measures: readonly Measure[]): void =>
    report({ title: `OpenClaw, ${String(notes.files.size)} notes: ${what}`, measures });
  const withMemory = variants.filter(({ memory }) => memory !== 'none');
  const asked = await askGateways(withMemory, notes.queries);
  const byEngine = new Map<Memory, readonly Asked[]>();
  for (const variant of withMemory)
    if (variant.isLoci) byEngine.set(variant.memory, await askEngine(variant, notes.queries));
  const host = await askHost(
    variants.find((each) => each.memory === 'none')!,
    HOST_CALLS,
  );
  section('memory_search', searchMeasures(asked, byEngine, host));
  section(`retrieval of ${notes.set}`, retrievalMeasures(notes.queries, asked, byEngine));
  const memory = new Map(variants.map((each) => [each.memory, memoryOfTree(each.gateway.pid)]));
  section('memory of the gateway and its processes', memoryMeasures(memory));
  const written = new Map<Memory, readonly number[]>();
  for (const variant of withMemory)
    written.set(
      variant.memory,
      await (variant.isLoci ? untilFound(variant, WRITES) : untilFileFound(variant, FILE_WRITES)),
    );
  section('from a write to the end of the search that finds it', writeMeasures(written));
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
