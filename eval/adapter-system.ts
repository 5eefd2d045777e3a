import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LociAdapter } from '../src/adapters/contract.ts';
import { type AdapterId, createAdapter } from '../src/adapters/create-adapter.ts';
import { memory } from '../src/config/adapters-schema.ts';
import { LociError } from '../src/core/errors.ts';
import { plainDocument } from './baselines/query-words.ts';
import type { EvalConfiguration } from './configuration.ts';
import type { EvalDocument, EvalSet } from './sets.ts';
import { UNDATED } from './source-records.ts';
import { RESULTS, type System } from './system.ts';

export const ADAPTERS: readonly AdapterId[] = memory.shape.adapter.unwrap().options;

const AGENT = 'eval';
/** How often it is looked whether all notes are embedded. */
const POLL_INTERVAL_MS = 200;

/** A retrieval adapter on the documents of a set: each is a note, and each collection a pool. All of it is removed when the system is closed. */
export async function adapterSystem(
  set: EvalSet,
  id: AdapterId,
  { provider, minScore }: Pick<EvalConfiguration, 'provider' | 'minScore'>,
  signal?: AbortSignal,
): Promise<System> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), 'loci-eval-'));
  resources.defer(() => {
    rmSync(folder, { recursive: true });
  });
  const pools = set.collections.map((collection, i) => {
    const root = path.join(folder, 'pools', String(i));
    return { ...collection, root, notes: collection.docs.map((doc, n) => writeNote(root, doc, n)) };
  });
  const warnings: string[] = [];
  const adapter = await createAdapter(
    {
      memory: { adapter: id },
      embedding: { provider },
      search: { minScore },
      adapters: { deadline: 0 },
    },
    { home: path.join(folder, 'home'), onWarning: (message) => warnings.push(message) },
  );
  resources.defer(() => adapter.close());
  await adapter.registerPools(pools.map((pool) => ({ id: pool.id, tier: 'hot', path: pool.root })));
  await embedded(adapter, signal);
  const assertSound = (): void => {
    // Figures of empty answers, or of the adapter in its place, would be mistaken for those of this one.
    if (warnings.length > 0)
      throw new LociError('unsupported_runtime', `${id} is not measured: ${warnings.join('\n')}`, {
        hint: 'Name the folder with LanceDB in LOCI_ADAPTERS_LANCEDB_PACKAGE (loci.yaml is not read here), or other adapters.',
      });
  };
  assertSound();
  const notes = new Map(pools.map(({ id: pool, notes: written }) => [pool, written]));
  const hidden = new HiddenNote(adapter, signal);
  const open = resources.move();
  return {
    name: id,
    rank: async (collection, query, src) => {
      const written = notes.get(collection)!;
      await hidden.hide(written.find((note) => note.id === src)?.file ?? null);
      const poolIds = [collection];
      const results = await adapter.recall({ agentId: AGENT, query, limit: RESULTS, poolIds });
      assertSound();
      const ids = new Map(written.map((note) => [note.key, note.id]));
      return { ids: results.map(({ metadata }) => ids.get(String(metadata?.['path']))!) };
    },
    close: () => open.disposeAsync(),
  };
}

/** Takes the note of which a query was made out of its pool, because its links and words would tell the answer. */
class HiddenNote {
  readonly #adapter: LociAdapter;
  readonly #signal: AbortSignal | undefined;
  #file: string | null = null;

  constructor(adapter: LociAdapter, signal: AbortSignal | undefined) {
    this.#adapter = adapter;
    this.#signal = signal;
  }

  /** @param file `null` for none; the one before is put back */
  async hide(file: string | null): Promise<void> {
    if (file === this.#file) return;
    const changed = [this.#file, file].filter((each) => each !== null);
    if (this.#file !== null) renameSync(asideOf(this.#file), this.#file);
    if (file !== null) renameSync(file, asideOf(file));
    this.#file = file;
    await this.#adapter.indexPaths(changed);
    await embedded(this.#adapter, this.#signal);
  }
}

/** A file that is no note. */
function asideOf(file: string): string {
  return `${file}.hidden`;
}

interface WrittenNote {
  readonly file: string;
  /** Its path in the pool. */
  readonly key: string;
  readonly id: string;
}

/** Writes a document as a note. */
function writeNote(root: string, doc: EvalDocument, index: number): WrittenNote {
  const key = doc.note ? (doc.path ?? doc.id) : `${String(index)}.md`;
  const file = path.join(root, key);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, doc.note ? doc.text : noteOf(doc));
  // The time of the evaluation is not that of the note.
  utimesSync(file, UNDATED / 1000, UNDATED / 1000);
  return { file, key, id: doc.id };
}

function noteOf(doc: EvalDocument): string {
  const { title, body } = plainDocument(doc);
  return title === '' ? body : `---\ntitle: ${JSON.stringify(title)}\n---\n${body}`;
}

/** Waits until an adapter that embeds in the background has done so. */
async function embedded(adapter: LociAdapter, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { details } = await adapter.status();
    if (!(Number(details?.['waiting']) > 0)) return;
    await delay(POLL_INTERVAL_MS, undefined, signal === undefined ? {} : { signal });
  }
}
