import { z } from 'zod';
import type { LoadedConfig } from '../config/load.ts';
import type { VaultConfig } from '../config/sources-schema.ts';
import type { Scope } from '../core/caller.ts';
import type { Json } from '../core/types.ts';
import type { Progress } from '../core/progress.ts';
import { LociError } from '../core/errors.ts';
import type { EngineContext } from '../engine/context.ts';

/**
 * An operation, which every surface offers. Fields have names in snake_case, plain JSON values and ISO 8601 times, so that
 * inputs and outputs are the same from a shell, a model and HTTP.
 */
export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> extends Definition<Input, Output> {
  /** The name in the registry: `search`, `config-get`. */
  readonly name: string;
}

/** An operation with what the registry says of it. */
export interface LoadedOperation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> extends Operation<Input, Output> {
  /** The summary of the registry, with a capital letter. */
  readonly title: string;
  readonly description: string;
}

export interface Definition<Input extends z.ZodType, Output extends z.ZodType> {
  /** Says to a person or a model what it does and when to use it, unless its title says all. */
  readonly description?: string;
  /** A strict object; every field has a description. */
  readonly input: Input;
  readonly output: Output;
  /** Whether it changes nothing, changes something, or may permanently remove data. */
  readonly kind: 'read' | 'write' | 'destroy';
  /** The scope that a token needs for it. */
  readonly scope: Scope;
  /** Whether only the command line offers it, because it uses files or settings of this machine. */
  readonly local?: boolean;
  /** Whether the web page of the owner offers it although it is local. */
  readonly onPage?: boolean;
  /** Whether that page must be on this machine, because the operation names files. Default false. */
  readonly onPageHere?: boolean;
  /** Whether agents may not run it while `writes.enabled` is false. */
  readonly needsWrites?: boolean;
  /** Whether agents have no tool for it, whatever their token allows. */
  readonly notForAgents?: boolean;
  /** Whether agents see it among their tools only if `mcp.tools` names it. */
  readonly listedOnRequest?: boolean;
  /** Whether it has several steps, such as a refresh. The history then has every run of it, not only those of agents. */
  readonly steps?: boolean;
  /** Whether the history has no runs of it, because it shows the history itself. */
  readonly unrecorded?: boolean;
  /** Fields that only the command line offers and accepts: names of files of this machine, and what only its operator may do. */
  readonly localFields?: readonly string[];
  /** Its name for models and HTTP, if that differs: `memory_search`, at `/api/v1/memory/search`. */
  readonly tool?: string;
  readonly examples: readonly Example[];
  run(context: OperationContext, input: z.output<Input>): Promise<z.output<Output>>;
}

/** Standard input and output, which only the command line has, and the right to name files, which the library has too. */
export interface LocalIo {
  /** Reads all of standard input. @throws LociError `invalid_input` if it is too long */
  readInput(): Promise<string>;
  /** Writes the result to standard output, if there is one. Nothing else is written there then. */
  readonly writeOutput?: (text: string) => Promise<void>;
  /** Starts a command of Loci that continues after this one has ended. Its messages go to `background.log` in the home. Returns its pid. */
  readonly startInBackground?: (commandLine: readonly string[], home: string) => number;
}

interface Example {
  readonly title: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** What a surface provides to the operations that it runs. */
export interface OperationContext {
  /** The absolute path of the home folder, which may not exist. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Whether the caller is the owner, on this machine or on the web page, who may see commands, folders and errors. */
  readonly isOwner: boolean;
  /** Files and streams of this machine, if the caller may use them. */
  readonly machine?: LocalIo;
  /** Runs an operation when the limits of a server and of the caller's memory admit another one. */
  readonly admit?: <Result>(
    operation: Pick<Operation, 'steps' | 'kind'>,
    work: () => Promise<Result>,
  ) => Promise<Result>;
  /** The folders that a host program indexes for the caller, where these are not the vaults of the settings. */
  readonly vaults?: readonly VaultConfig[];
  /** Reads the settings at each call. @throws LociError `invalid_config`, `unreadable` */
  loadConfig(): Promise<LoadedConfig>;
  /**
   * The engine on behalf of the caller. It is opened at the first call and shared. `create` makes a missing store;
   * `temporary` replaces it by an empty store in a temporary folder, which is removed when the context is closed.
   * @throws LociError `store_not_found`, and the errors of opening a store
   */
  loci(options?: { readonly create?: boolean; readonly temporary?: boolean }): Promise<EngineContext>;
}

/** The name of an operation for models, such as `memory_search`. HTTP derives a path from it. */
export function toolName({ name, tool }: Pick<Operation, 'name' | 'tool'>): string {
  return tool ?? name.replaceAll('-', '_');
}

const NO_FIELDS = z.strictObject({});

/** Infers the types of an operation. One without `input` has no fields. */
export function operation<Output extends z.ZodType, Input extends z.ZodType = typeof NO_FIELDS>(
  given: Omit<Definition<Input, Output>, 'input'> & { readonly input?: Input },
): Definition<Input, Output> {
  return { input: NO_FIELDS as unknown as Input, ...given };
}

/** The operations of a noun, each with its key as its name. */
export function withNames<Definitions extends Readonly<Record<string, object>>>(definitions: Definitions) {
  const named = Object.entries(definitions).map(([name, definition]) => [name, { name, ...definition }]);
  return Object.fromEntries(named) as {
    readonly [Name in keyof Definitions]: Definitions[Name] & { readonly name: Name };
  };
}

/**
 * Files and streams of this machine. An operation that takes a path must call this first.
 * @throws LociError `forbidden` unless the caller is the command line
 */
export function requireLocalIo({ machine }: OperationContext, field: string): LocalIo {
  if (machine !== undefined) return machine;
  throw new LociError('forbidden', `${field} names a file of the machine on which Loci runs`, {
    hint: 'Only the command line of that machine may use this field.',
  });
}

/** An operation as remote callers see it: without the fields that name files. `null` if it is only for the command line. */
export function remoteOperation<Each extends Operation>(operation: Each): Each | null {
  const { local, localFields = [], input } = operation;
  if (local === true) return null;
  if (localFields.length === 0 || !(input instanceof z.ZodObject)) return operation;
  const fields = Object.entries(input.shape).filter(([name]) => !localFields.includes(name));
  const examples = operation.examples.filter(
    (example) => !localFields.some((field) => field in example.input),
  );
  return { ...operation, input: z.strictObject(Object.fromEntries(fields)), examples };
}
