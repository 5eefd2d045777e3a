import { join } from 'node:path';
import type { Embedder } from '../../embed/embedder.ts';
import type { EmbeddingConfig } from '../../embed/provider.ts';
import { openEmbedder } from '../../embed/registry.ts';
import type { Chunking } from '../../ingest/passages.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import { locateStore } from '../../store/registry.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation } from '../../store/search-model.ts';
import type { EngineContext, EngineServices } from '../context.ts';
import {
  activeGeneration,
  generationOf,
  mismatch,
  modelSpec,
  previousNotice,
  describeGeneration,
  parseModelName,
  whyNotAsked,
} from './generations.ts';
import type { EmbeddingSettings } from '../../config/embedding-schema.ts';
import { LociError } from '../../core/errors.ts';

/** The file beside the store that says whether the embedding provider answers. The bundled model has none. */
const EMBEDDING_STATE_FILE = 'embedding-state.json';
/** The same for the model of earlier settings, while its vectors are still searched. */
const PREVIOUS_STATE_FILE = 'previous-embedding-state.json';

/** The embedding models of an open engine. Each is opened at its first use. */
class Models {
  readonly #services: EngineServices;
  /** The generation of searches when the engine was opened, or that it has used. */
  knownGeneration: number | null;
  #embedder: Promise<Embedder | null> | null = null;
  readonly #previous = new Map<number, Promise<Embedder>>();
  #warned = '';

  constructor(services: EngineServices) {
    this.#services = services;
    this.knownGeneration = services.options.activeGeneration ?? null;
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
    const opened = openPreviousModel(
      generation,
      this.#services.config.embedding,
      this.#processOptions(PREVIOUS_STATE_FILE),
    );
    this.#previous.set(generation.id, opened);
    return opened;
  }

  /** Says once what writes use instead of the configured model. Searches say it in their answers. */
  warn(notice: string): void {
    if (this.#warned !== notice) this.#services.warn(notice);
    this.#warned = notice;
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
function previousModelOf(context: EngineContext, generation: Generation): Promise<Embedder> {
  return context.shared(Models).previous(generation);
}

export async function chunkingOf(context: EngineContext): Promise<Chunking> {
  const { threadedChunking } = await import('../../ingest/cut-record.ts');
  const { MAX_PASSAGE_TOKENS } = await import('../../ingest/passages.ts');
  const { maxPassageTokens = MAX_PASSAGE_TOKENS } = context.shared(Models);
  return threadedChunking(context.thread, await embedderOf(context), maxPassageTokens);
}

/**
 * The model and vectors of searches and writes; `null` with the provider `none`, or before the first record is embedded. Until
 * all vectors of a new model are made, they are those of the model before, with a notice, so that a change of the settings takes no memory down.
 */
export async function vectorsOf(context: EngineContext): Promise<VectorIndexRef | null> {
  const model = await modelInUse(context);
  if (model === null) return null;
  const { active, embedder, own, isUsed } = model;
  if (own !== undefined && isUsed) return { embedder, generation: own.id };
  const notice = previousNotice(active, modelSpec(embedder), context.config.embedding.provider);
  return { embedder: await previousModelOf(context, active), generation: active.id, notice };
}

/**
 * Whether the vectors of a new model in the settings are to be made. A process that was opened before the model of searches changed
 * may have the settings of before: it must not change it back.
 */
export async function hasNewModel(context: EngineContext): Promise<boolean> {
  const model = await modelInUse(context);
  return model !== null && !model.isUsed && model.active.id === context.shared(Models).knownGeneration;
}

/** @throws LociError `embedding_mismatch` where searches and writes use another model than that of the settings */
export async function assertConfiguredModel(context: EngineContext): Promise<void> {
  const model = await modelInUse(context);
  if (model !== null && !model.isUsed) throw mismatch(model.active, model.embedder);
}

interface ConfiguredModel {
  /** The generation of the store. */
  readonly active: Generation;
  /** The model of the settings. */
  readonly embedder: Embedder;
  /** Its vectors, if there are any. */
  readonly own: Generation | undefined;
  /** Whether searches and writes use them. */
  readonly isUsed: boolean;
}

/** `null` with the provider `none`, and for a store without vectors. */
async function modelInUse(context: EngineContext): Promise<ConfiguredModel | null> {
  const models = context.shared(Models);
  const embedder = await models.embedder();
  if (embedder === null) return null;
  const generations = await context.store.vectors.generations(ADMIN_NAMESPACE);
  const active = activeGeneration(generations);
  if (active === undefined) return null;
  const own = generationOf(generations, embedder);
  const isUsed = own?.active === true;
  if (isUsed) models.knownGeneration = own.id;
  return { active, embedder, own, isUsed };
}

/** The vector index to write to. The first model that embeds becomes the model of the store. */
export async function vectorsToFill(context: EngineContext): Promise<VectorIndexRef | null> {
  const vectors = await vectorsOf(context);
  const embedder = await embedderOf(context);
  if (vectors?.notice !== undefined) context.shared(Models).warn(vectors.notice);
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

/**
 * Opens the model of vectors that were made with earlier settings, to embed queries. The present address and key are used if the
 * provider is the same. Another provider is asked only on this machine. It answers no query if the model cannot be reached.
 */
export async function openPreviousModel(
  generation: Generation,
  current: EmbeddingSettings,
  options: Pick<EmbeddingConfig, 'separateProcess' | 'stateFile'>,
): Promise<Embedder> {
  const name = describeGeneration(generation);
  const why = whyNotAsked(generation, current.provider);
  if (why !== null) return unreachable(generation, `${name} made the vectors, and ${why}`);
  try {
    const embedder = await openEmbedder({ ...settingsOf(generation, current), ...options });
    if (embedder !== null && generationOf([generation], embedder) !== undefined) return embedder;
    await embedder?.close();
    return unreachable(generation, `${name} made the vectors, and this Loci has another version of it`);
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    return unreachable(generation, `${name} made the vectors: ${error.message}`);
  }
}

function settingsOf(generation: Generation, current: EmbeddingSettings): EmbeddingConfig {
  const { provider, dimensions } = generation;
  const { model, query, passage } = parseModelName(generation.model);
  const { url, apiKey, model: _model, dimensions: _dimensions, ...rest } = current;
  const place = { ...(url !== undefined && { url }), ...(apiKey !== undefined && { apiKey }) };
  return {
    ...rest,
    ...(provider === current.provider && place),
    ...{ provider, model, dimensions, queryPrefix: query, passagePrefix: passage },
  };
}

/** Stands for a model that cannot be reached: searches go on without it, and say so. */
function unreachable({ provider, model, dimensions }: Generation, why: string): Embedder {
  return {
    ...{ provider, model, dimensions, maxTokens: 0 },
    embed: () => Promise.reject(new LociError('embedding_unavailable', why)),
    countTokens: () => 0,
    close: () => Promise.resolve(),
  };
}
