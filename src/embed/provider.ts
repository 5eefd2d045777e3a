import type { EmbeddingSettings } from '../config/embedding-schema.ts';
import type { EmbeddingPurpose } from './embedder.ts';
import { ProviderError, type WireOptions } from './http/provider-error.ts';

/** An open provider. It sends what it is given: `RemoteEmbedder` makes the batches, repeats requests and checks vectors. */
export interface Wire {
  /** One vector for each text, in order, as the provider gave it. @throws ProviderError; LociError `aborted` */
  send(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    options: WireOptions,
  ): Promise<readonly ArrayLike<unknown>[]>;
  close(): Promise<void>;
}

/**
 * The vectors of an answer by the indexes of their texts. Another number of vectors than of texts is left to the caller.
 * @throws ProviderError unless each index is of a text, and of another one
 */
export function inOrderOfTexts<Vector>(
  entries: readonly { readonly index: number; readonly embedding: Vector }[],
  count: number,
  name: string,
): Vector[] {
  const sorted = entries.toSorted((a, b) => a.index - b.index);
  if (entries.length === count && sorted.some(({ index }, i) => index !== i))
    throw new ProviderError(
      'refused',
      `${name} returned vectors whose \`index\` is not that of each text once`,
    );
  return sorted.map(({ embedding }) => embedding);
}

/** The same provider, whose errors quote what it says. */
export function quotingWire(wire: Wire): Wire {
  return {
    close: () => wire.close(),
    send: async (texts, purpose, options) => {
      try {
        return await wire.send(texts, purpose, options);
      } catch (error) {
        throw error instanceof ProviderError ? error.quoting() : error;
      }
    },
  };
}

/** What a provider needs of the settings. */
export interface WireSettings extends Pick<
  EmbeddingSettings,
  'allowLinkLocal' | 'commandEnv' | 'commandMode'
> {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly command: EmbeddingSettings['command'] | undefined;
  readonly model: string;
  /** To ask for; `null` for those of the model. */
  readonly dimensions: number | null;
  readonly concurrency: number;
}

/** A kind of provider, in a file of its own. */
export interface Provider {
  readonly name: string;
  /** Without it, the settings must name a model. */
  readonly defaultModel?: string;
  /** The most that a request may have. */
  readonly batch: { readonly items: number; readonly tokens: number };
  readonly concurrency: number;
  /** @throws LociError `invalid_config` for settings that are missing or wrong */
  open(settings: WireSettings): Wire;
}
