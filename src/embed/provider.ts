import type { EmbeddingSettings } from '../config/embedding-schema.ts';
import type { EmbeddingPurpose } from './embedder.ts';
import type { WireOptions } from './http/provider-error.ts';

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
