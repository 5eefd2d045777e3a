import type { EmbeddingSettings } from '../config/embedding-schema.ts';
import type { EmbeddingPurpose } from './embedder.ts';
import type { WireOptions } from './http/provider-error.ts';
import type { Trial } from './request-queue.ts';

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

/** A kind of provider. */
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

/** The settings of `embedding`, as far as the provider needs them, and what only the program decides. */
export interface EmbeddingConfig extends Partial<Omit<EmbeddingSettings, 'provider'>> {
  readonly provider: string;
  /** Threads for indexing, of the provider `local`. */
  readonly threads?: number;
  /** Of the provider `local`: see `LocalEmbedderOptions`. */
  readonly separateProcess?: boolean;
  /** Of the others: the file in which processes share whether the provider answers. */
  readonly stateFile?: string;
  /** Of the others: accepts vectors of any length, and has their length as `dimensions` after the first. Waits for each answer. */
  readonly trial?: Trial;
  /** Of the others: errors quote what the provider says, because no text that it is sent is a secret. */
  readonly quotesProvider?: boolean;
}
