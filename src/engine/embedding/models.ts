import { join } from 'node:path';
import { LociError } from '../../core/errors.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { openEmbedder } from '../../embed/registry.ts';
import type { Chunking } from '../../ingest/passages.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import { locateStore } from '../../store/registry.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation } from '../../store/search-model.ts';
import type { EngineContext, EngineServices } from '../context.ts';
import { activeGeneration, generationOf, mismatch, modelSpec, previousNotice } from './generations.ts';

/** The file beside the store that says whether the embedding provider answers. The bundled model has none. */
const EMBEDDING_STATE_FILE = 'embedding-state.json';
/** The same for the model of earlier settings, while its vectors are still searched. */
const PREVIOUS_STATE_FILE = 'previous-embedding-state.json';

/** The embedding models of an open engine. Each is opened at its first use. */
class Models {
  readonly #services: EngineServices;
  /** The active generation when the engine was opened, then the one that it has used. */
  usedGeneration: number | null;
  #embedder: Promise<Embedder | null> | null = null;
  readonly #previous = new Map<number, Promise<Embedder>>();

  constructor(services: EngineServices) {
    this.#services = services;
    this.usedGeneration = services.options.activeGeneration ?? null;
    services.closeWithStore(this);
  }

  get maxPassageTokens(): number | undefined {
    return this.#services.options.maxPassageTokens;
  }

  embedder(): Promise<Embedder | null> {
    this.#embedder ??= openEmbedder({
      ...this.#services.config.embedding,
      ...this.#processOptions(EMBEDDING_STATE_FILE),
    });
    return this.#embedder;
  }

  previous(generation: Generation): Promise<Embedder> {
    const known = this.#previous.get(generation.id);
    if (known !== undefined) return known;
    const opened = import('./previous-model.ts').then(({ openPreviousModel }) =>
      openPreviousModel(
        generation,
        this.#services.config.embedding,
        this.#processOptions(PREVIOUS_STATE_FILE),
      ),
    );
    this.#previous.set(generation.id, opened);
    return opened;
  }

  async close(): Promise<void> {
    const opened = [this.#embedder, ...this.#previous.values()];
    await Promise.all(opened.map(async (model) => (await model?.catch(() => null))?.close()));
  }

  #processOptions(stateFile: string): { readonly separateProcess: boolean; readonly stateFile: string } {
    const { config, options } = this.#services;
    return {
      separateProcess: options.ownsProcess !== true,
      stateFile: join(locateStore(config.store).stateFolder, stateFile),
    };
  }
}

/** The configured provider, opened at the first call; `null` for `none`. */
export function embedderOf(context: EngineContext): Promise<Embedder | null> {
  return context.shared(Models).embedder();
}

/** The model of vectors that were made with earlier settings. It answers no query if it cannot be reached. */
export function previousModelOf(context: EngineContext, generation: Generation): Promise<Embedder> {
  return context.shared(Models).previous(generation);
}

export async function chunkingOf(context: EngineContext): Promise<Chunking> {
  const { threadedChunking } = await import('../../ingest/threaded-chunking.ts');
  const { MAX_PASSAGE_TOKENS } = await import('../../ingest/passages.ts');
  const { maxPassageTokens = MAX_PASSAGE_TOKENS } = context.shared(Models);
  return threadedChunking(context.thread, await embedderOf(context), maxPassageTokens);
}

/**
 * The model and vectors of searches; `null` with the provider `none`, or before the first record is embedded.
 * @throws LociError `embedding_mismatch` when the store's vectors are of another model
 */
export async function vectorsOf(context: EngineContext): Promise<VectorIndexRef | null> {
  const models = context.shared(Models);
  const embedder = await models.embedder();
  if (embedder === null) return null;
  const generations = await context.store.vectors.generations(ADMIN_NAMESPACE);
  const active = activeGeneration(generations);
  if (active === undefined) return null;
  const own = generationOf(generations, embedder);
  // A process that was opened before a switch goes on with its model, whose vectors are still there.
  if (own === undefined || !(own.active || own.id === models.usedGeneration))
    throw mismatch(active, embedder);
  models.usedGeneration = own.id;
  return { embedder, generation: own.id };
}

/**
 * The model and vectors of a search. While those of the configured model are being made, the previous ones answer, if their
 * model can be reached, with a notice.
 * @throws LociError `embedding_mismatch` when nothing was made with the configured model yet
 */
export async function vectorsOfSearch(context: EngineContext): Promise<VectorIndexRef | null> {
  try {
    return await vectorsOf(context);
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'embedding_mismatch') throw error;
    const generations = await context.store.vectors.generations(ADMIN_NAMESPACE);
    const active = activeGeneration(generations);
    const embedder = await embedderOf(context);
    const own = embedder === null ? undefined : generationOf(generations, embedder);
    if (active === undefined || own === undefined) throw error;
    const notice = previousNotice(active, own, context.config.embedding.provider);
    return { embedder: await previousModelOf(context, active), generation: active.id, notice };
  }
}

/**
 * The vector index to write to. The first model that embeds becomes the model of the store.
 * @throws LociError `embedding_mismatch`
 */
export async function vectorsToFill(context: EngineContext): Promise<VectorIndexRef | null> {
  const vectors = await vectorsOf(context);
  const embedder = await embedderOf(context);
  if (vectors !== null || embedder === null) return vectors;
  const { vectors: stored } = context.store;
  const generation = await stored.setGeneration(ADMIN_NAMESPACE, { add: modelSpec(embedder) });
  await stored.setGeneration(ADMIN_NAMESPACE, { activate: generation.id });
  return { embedder, generation: generation.id };
}

/** The writes of this process, in any namespace, whose texts were left without vectors. */
export class UnembeddedWrites {
  count = 0;
}
