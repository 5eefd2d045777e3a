import type { z } from 'zod';
import type { LoadedConfig } from '../config/load.ts';
import type { Json } from '../core/types.ts';
import type { Progress } from '../core/progress.ts';
import type { Loci } from '../engine/open.ts';

/**
 * A verb, told once: every surface shows it by itself. Fields are in snake_case, with plain JSON values and ISO 8601
 * times, so that an input or output reads the same from a shell, a model or HTTP.
 */
export interface Operation<Input = unknown, Output = unknown> {
  /** As in the registry: `search`, `config-get`. */
  readonly name: string;
  readonly title: string;
  /** What it does and when to use it, for a person or a model. */
  readonly description: string;
  /** A strict object; every field has a description. */
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  /** Changes nothing. */
  readonly readOnly: boolean;
  /** May lose something that cannot be had again. */
  readonly destructive: boolean;
  /** Done twice it is as done once. */
  readonly idempotent: boolean;
  /** What a token must allow for it. */
  readonly scope: Scope;
  /** It reaches files or settings of this machine: for the command line alone, never over MCP or REST. */
  readonly local?: boolean;
  /** Done in several steps, such as a refresh: each run is a row of the history, whoever began it. */
  readonly steps?: boolean;
  /** Fields that name files of this machine: who calls from elsewhere neither sees nor may give them. */
  readonly localFields?: readonly string[];
  /** What models and HTTP call it where that is not its name: `memory_search`, at `/api/v1/memory/search`. */
  readonly tool?: string;
  readonly examples: readonly Example[];
  run(context: OperationContext, input: Input): Promise<Output>;
}

/** `read` looks at the caller's own memory, `write` changes it, `admin` is for who runs Loci. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a command line has and no other surface: standard input and output; and with it the right to name files. */
export interface LocalIo {
  /** All of standard input. @throws LociError `invalid_input` when it is too long */
  readInput(): Promise<string>;
  /** What is written here is the answer: no other is shown on standard output. */
  writeOutput(text: string): Promise<void>;
}

export interface Example {
  readonly title: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** What a surface lends to the verbs that it runs. */
export interface OperationContext {
  /** The home folder, absolute; it need not exist. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** This machine's files and streams, where the caller may reach them; else there is none. */
  readonly machine?: LocalIo;
  /** Read anew at each call. @throws LociError `invalid_config`, `unreadable` */
  loadConfig(): Promise<LoadedConfig>;
  /**
   * The engine on behalf of whoever asks, opened at the first call and shared by all. `create` makes a store where there is none.
   * @throws LociError `store_not_found`, and what opening throws
   */
  loci(options?: { readonly create?: boolean }): Promise<Loci>;
}

/** What models call a verb: `memory_search`; HTTP makes its path of it. */
export function toolName({ name, tool }: Pick<Operation, 'name' | 'tool'>): string {
  return tool ?? name.replaceAll('-', '_');
}
