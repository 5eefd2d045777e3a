import type { EmbeddingSettings } from '../../config/embedding-schema.ts';
import { LociError } from '../../core/errors.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { EmbeddingConfig } from '../../embed/provider.ts';
import { openEmbedder } from '../../embed/registry.ts';
import type { Generation } from '../../store/search-model.ts';
import { describeGeneration, parseModelName, modelSpec, whyNotAsked } from './generations.ts';

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
    if (embedder !== null && isOf(generation, embedder)) return embedder;
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

function isOf(generation: Generation, embedder: Embedder): boolean {
  const { provider, model, dimensions } = modelSpec(embedder);
  return (
    provider === generation.provider && model === generation.model && dimensions === generation.dimensions
  );
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
