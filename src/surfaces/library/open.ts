import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import type { JsonMap } from '../../core/json.ts';
import { assertNotAborted, type Progress } from '../../core/progress.ts';
import { isSession, isSubject } from '../../core/caller.ts';
import type { Closable } from '../../engine/context.ts';
import type { RefreshSchedulerOptions } from '../../engine/reading/refresh-scheduler.ts';
import type {
  ReadOnlyMemorySource,
  Registration,
} from '../../engine/reading/configured/registered-sources.ts';
import { createContext, type OpenContext } from '../../operations/context.ts';
import type { LocalIo, OperationContext } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import { runOperation } from '../../operations/run.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { type CallOptions, methodName, type OperationMethods } from './methods.ts';

/** A memory that is open: each operation is a method. Calls may run concurrently. */
export interface Loci extends OperationMethods {
  /**
   * Adds a source whose documents a function of this program returns, until it is unregistered or the memory is closed. Its
   * documents are treated like those of commands; it needs no approval.
   * @throws LociError `invalid_input`; `conflict` when another source or vault has the id; `forbidden` in another namespace than that
   *   of the settings
   */
  register(source: ReadOnlyMemorySource): Promise<Registration>;
  /** Refreshes vaults and sources when they are due, until the memory or the returned object is closed. */
  keepFresh(options?: RefreshSchedulerOptions): Promise<Closable>;
  /** The same memory in another namespace, on behalf of its owner. `close` closes both. */
  as(caller: NamespaceCaller): Loci;
  close(): Promise<void>;
}

export interface NamespaceCaller {
  readonly namespace: string;
  /** Name in the audit log; the user of this machine unless given. */
  readonly actor?: string;
  /** The session of an agent on whose behalf the program calls. What it changes is then in the inbox. */
  readonly session?: string;
}

export interface OpenOptions {
  /** The home folder; `LOCI_HOME`, then `~/.loci`, unless given. */
  readonly home?: string;
  /** Settings as in `loci.yaml`, which they override. */
  readonly settings?: JsonMap;
  /** Makes the store if it does not exist. Default true. */
  readonly create?: boolean;
  /**
   * Lets the sources of the settings run without `loci sources approve`, for a program that wrote these settings itself. Sources
   * of skills still need approval.
   */
  readonly trustsSettings?: boolean;
  /** Receives messages about errors that fail no call. By default a warning of the process. */
  readonly onWarning?: (message: string) => void;
}

const text = () => z.string().min(1);
const callback = <Value>() =>
  z.custom<(value: Value) => void>((value) => typeof value === 'function', 'a function');

const openOptions: z.ZodType<OpenOptions> = z.strictObject({
  home: text().exactOptional(),
  settings: z.record(z.string(), z.json()).exactOptional(),
  create: z.boolean().exactOptional(),
  trustsSettings: z.boolean().exactOptional(),
  onWarning: callback<string>().exactOptional(),
});

const subject = () =>
  z
    .string()
    .refine(
      isSubject,
      'text of 1 to 128 characters, none of them a control character, without spaces around it',
    );

const namespaceCaller: z.ZodType<NamespaceCaller> = z.strictObject({
  namespace: subject(),
  actor: subject().exactOptional(),
  session: z
    .string()
    .refine(
      isSession,
      'text of 1 to 512 characters, none of them a control character, without spaces around it, that does not begin with `undo:`',
    )
    .exactOptional(),
});

const callOptions: z.ZodType<CallOptions> = z.strictObject({
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal').exactOptional(),
  onProgress: callback<Progress>().exactOptional(),
});

const OWNER = { surface: 'library', trust: 'operator' } as const;

/**
 * Opens the store that the settings of a home folder name. The embedding model starts at its first use.
 * @throws LociError `invalid_input`, `invalid_config`, `unsupported_runtime`, `store_not_found`, `store_newer`, `store_corrupt`,
 *   `unreadable`
 */
export async function openLoci(options: OpenOptions = {}): Promise<Loci> {
  const { settings, create = true, ...given } = parsed(openOptions, options);
  const context = createContext({
    ...given,
    caller: OWNER,
    ownsProcess: false,
    machine: FILES,
    ...(settings !== undefined && { hostSettings: { tree: settings, place: 'settings' } }),
  });
  try {
    const { warnings } = await context.loadConfig();
    for (const warning of warnings) (given.onWarning ?? process.emitWarning)(warning);
    await context.loci({ create });
    return lociOf(context, context);
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** @param caller the context of the namespace */
function lociOf(opened: OpenContext, caller: OperationContext): Loci {
  const sources = () => import('../../engine/reading/sources.ts');
  return {
    ...methodsOf(caller),
    register: async (source) => (await sources()).registerSource(await caller.loci(), source),
    keepFresh: async (options) => (await sources()).keepFresh(await caller.loci(), options),
    as: (other) =>
      lociOf(
        opened,
        opened.forCall({ caller: { ...OWNER, ...parsed(namespaceCaller, other) }, machine: FILES }),
      ),
    close: () => opened.close(),
  };
}

function methodsOf(context: OperationContext): OperationMethods {
  const methods = OPERATIONS.map(({ name, load }) => {
    const method = async (input: unknown = {}, options: unknown = {}): Promise<unknown> => {
      const operation = await load();
      const call = { ...context, ...parsed(callOptions, options) };
      assertNotAborted(call);
      return runOperation(
        operation as Parameters<typeof runOperation>[0],
        call,
        parsed(operation.input, input),
      );
    };
    return [methodName(name), method];
  });
  return Object.fromEntries(methods) as OperationMethods;
}

/** An absent field may also be `undefined`. @throws LociError `invalid_input` that names each wrong field */
function parsed<Schema extends z.ZodType>(input: Schema, given: unknown): z.output<Schema> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const fields = isObject
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    : given;
  return parseInput({ input }, fields);
}

function forCommandLine(what: string): LociError {
  return new LociError('invalid_input', `${what} is only for the command line`);
}

/** A program may name files of its machine. It has no streams of Loci. */
const FILES: LocalIo = {
  readInput: () => Promise.reject(forCommandLine('standard input')),
};
