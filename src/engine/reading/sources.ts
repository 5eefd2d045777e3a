import { LociError, messageOf } from '../../core/errors.ts';
import type { FetchResult } from '../../sources/document.ts';
import type { Closable, EngineContext } from '../context.ts';
import { forgetSource } from './forget-source.ts';
import { embedNew } from './embed-new.ts';
import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import { vaultName, vaultsOfNamespace } from './configured/vault-names.ts';
import { approvalDetails, resolveCommand, type ResolvedCommand } from './approval/approval.ts';
import { changesSince, parseApproval, serializeApproval } from './approval/approval-record.ts';
import {
  configuredSources,
  requireSource,
  unknownSourceError,
  type ConfiguredSource,
} from './configured/configured-sources.ts';
import {
  RegisteredSources,
  type ReadOnlyMemorySource,
  type Registration,
} from './configured/registered-sources.ts';
import { RefreshScheduler, type RefreshSchedulerOptions } from './refresh-scheduler.ts';
import { missingProgramError } from './approval/program.ts';
import { refreshSource, testSource, type RefreshReport } from './refresh/refresh.ts';
import { sourceReports, type SourceReport } from './reports.ts';
import { sourceStateChange, sourceStates } from '../../store/items/source-state.ts';

/** The result of refreshing a source, or why it failed. */
export type RefreshResult =
  RefreshReport | { readonly id: string; readonly name: string; readonly error: LociError };

/** A command that may run from now on. */
interface ApprovedCommand extends ResolvedCommand {
  /** The changes since the last approval, one line each; none for a first approval. */
  readonly changes: readonly string[];
}

interface PauseResult {
  readonly id: string;
  /** Whether it was in the other state before. */
  readonly changed: boolean;
}

/** Commands whose documents are searched together with notes and memories. */
export interface Sources {
  list(): Promise<SourceReport[]>;
  /**
   * Runs the named commands, or all enabled ones, even if they are paused. The failure of one does not affect the others. A named
   * source that is disabled is a `conflict`.
   * @throws LociError `not_found` for an id that no source has; `aborted`
   */
  refresh(ids?: readonly string[], options?: ProgressOptions): Promise<RefreshResult[]>;
  /**
   * Adds a source whose documents a function of this program returns, until it is unregistered or the engine is closed. Its
   * documents are treated like those of commands; it needs no approval.
   * @throws LociError `invalid_input`; `conflict` when another source or vault has the id; `forbidden` for a caller of another
   *   namespace than that of the settings
   */
  register(source: ReadOnlyMemorySource): Registration;
  /** Runs the command once and stores nothing. @throws LociError `not_approved`, `source_failed` … */
  test(id: string, signal?: AbortSignal): Promise<FetchResult>;
  /**
   * Allows exactly this command to run. Only the operator may call it.
   * @throws LociError `not_found`; `conflict` when its fingerprint is another; `invalid_config` for a missing program
   */
  approve(id: string, fingerprint?: string): Promise<ApprovedCommand>;
  /**
   * A paused source or vault is not refreshed automatically. A refresh that is running is not stopped.
   * @param name its id, or its display name
   * @throws LociError `not_found`
   */
  pause(name: string, paused: boolean): Promise<PauseResult>;
  /** Removes its documents, its approval and its state from the store. Returns the number of removed documents. */
  forget(id: string, signal?: AbortSignal): Promise<number>;
  /** Refreshes vaults and sources when they are due, until the engine or the returned object is closed. */
  keepFresh(options?: RefreshSchedulerOptions): Closable;
}

export function sourcesOf(context: EngineContext): Sources {
  return {
    register: (source) => register(context, source),
    list: () => sourceReports(context),
    refresh: (ids, options = {}) =>
      whileOpen(context, options.signal, (signal) => refreshSources(context, ids, { ...options, signal })),
    test: (id, signal) =>
      whileOpen(context, signal, async (anySignal) =>
        testSource(context, requireSource(await configuredSources(context), id), anySignal),
      ),
    approve: (id, fingerprint) => approve(context, id, fingerprint),
    pause: (id, paused) => pause(context, id, paused),
    forget: (id, signal) => forgetSource(context, id, signal === undefined ? {} : { signal }),
    keepFresh: (options = {}) => {
      const scheduler = new RefreshScheduler(context, options);
      scheduler.start();
      return context.closeWithEngine(scheduler);
    },
  };
}

function register(context: EngineContext, source: ReadOnlyMemorySource): Registration {
  const { config, namespace } = context;
  if (namespace !== config.namespace)
    throw new LociError('forbidden', `only the namespace ${config.namespace} has sources`, {
      hint: 'Register the source with the engine that openLoci() returned.',
    });
  return context
    .shared(RegisteredSources)
    .register(source, [...config.vaults.map(vaultName), ...config.sources.map(({ id }) => id)]);
}

/** Does work that is stopped and awaited when the engine closes. */
async function whileOpen<Result>(
  context: EngineContext,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  const running = work(signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]));
  const registration = context.closeWithEngine({
    close: async () => {
      closing.abort(new LociError('aborted', 'Loci is closing'));
      await running.catch(() => undefined);
    },
  });
  try {
    return await running;
  } finally {
    await registration.close();
  }
}

async function refreshSources(
  context: EngineContext,
  ids: readonly string[] | undefined,
  options: ProgressOptions = {},
): Promise<RefreshResult[]> {
  const configured = await configuredSources(context);
  const selected =
    ids === undefined
      ? configured.sources.filter(({ settings }) => settings.enabled)
      : [...new Set(ids)].map((id) => requireSource(configured, id));
  const results = await Promise.all(selected.map((source) => refreshOne(context, source, options)));
  if (options.signal?.aborted === true) throw new LociError('aborted', 'refreshing was stopped');
  if (results.some((result) => 'added' in result && result.added + result.updated > 0)) {
    // Without a model, the documents are found by text, and embedded later (R16).
    await embedNew(context, options).catch((error: unknown) => {
      if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    });
  }
  await context.updateRelations(options);
  return results;
}

async function refreshOne(
  context: EngineContext,
  source: ConfiguredSource,
  options: ProgressOptions,
): Promise<RefreshResult> {
  const report = (stage: 'reading' | 'waiting', subject: string): void =>
    options.onProgress?.({ stage, subject, done: 0, total: 0 });
  try {
    if (!source.settings.enabled) throw disabledError(source);
    return await refreshSource(context, source, {
      wait: true,
      onWait: (process) => report('waiting', `${process} to read ${source.name}`),
      onAcquired: () => report('reading', source.name),
      ...pickSignal(options),
    });
  } catch (cause) {
    const error = cause instanceof LociError ? cause : new LociError('internal', messageOf(cause), { cause });
    return { id: source.id, name: source.name, error };
  }
}

/** The documents of a disabled source are never found, so it is not refreshed. */
function disabledError(source: ConfiguredSource): LociError {
  const { id } = source;
  const place = source.kind === 'code' ? 'the program' : source.skill === null ? 'loci.yaml' : 'its SKILL.md';
  return new LociError('conflict', `${id} is disabled: its settings have \`enabled: false\``, {
    hint: `Remove that from ${place} first. \`loci sources test ${id}\` runs it anyway, and stores nothing.`,
  });
}

async function approve(
  context: EngineContext,
  id: string,
  fingerprint: string | undefined,
): Promise<ApprovedCommand> {
  const source = requireSource(await configuredSources(context), id);
  if (source.kind === 'code')
    throw new LociError('conflict', `${id} needs no approval: the program that uses Loci has registered it`);
  // The program that PATH finds now is approved, even if an earlier approval was of another.
  const command = await resolveCommand(source, null);
  if (command.program === null) throw await missingProgramError(command.argv[0] ?? '', command.cwd);
  if (fingerprint !== undefined && !command.fingerprint.startsWith(fingerprint))
    throw new LociError(
      'conflict',
      `${id} has changed since its fingerprint was shown: it is ${command.fingerprint.slice(0, 12)} now`,
      {
        hint: `\`loci sources show ${id}\` shows what would run now.`,
      },
    );
  const { store, namespace, now, caller } = context;
  const before = parseApproval((await sourceStates(store.records, namespace)).get(id));
  const details = await approvalDetails(context, command);
  await store.records.commit(namespace, {
    items: [
      sourceStateChange(id, {
        approval: serializeApproval(command.fingerprint, details),
        approvedAt: now(),
        approvedBy: caller.actor,
        // The source is due at once.
        nextAt: null,
      }),
    ],
  });
  const isSame = before === null || before.fingerprint === command.fingerprint;
  return { ...command, changes: isSame ? [] : changesSince(before, details) };
}

/**
 * Pauses or resumes a source in any condition, also one that cannot run.
 * @throws LociError `not_found`
 */
async function pause(context: EngineContext, name: string, paused: boolean): Promise<PauseResult> {
  const id = await pausableId(context, name);
  const state = (await sourceStates(context.store.records, context.namespace)).get(id);
  if ((state?.paused ?? false) === paused) return { id, changed: false };
  const change = { paused, ...(paused ? {} : { nextAt: null }) };
  await context.store.records.commit(context.namespace, { items: [sourceStateChange(id, change)] });
  return { id, changed: true };
}

/** The id of the vault, source or broken skill with this id, or else of the source with this display name. */
async function pausableId(context: EngineContext, name: string): Promise<string> {
  const configured = await configuredSources(context);
  const { sources, broken } = configured;
  const ids = [...vaultsOfNamespace(context).map(vaultName), ...[...sources, ...broken].map(({ id }) => id)];
  if (ids.includes(name)) return name;
  const named = sources.find((source) => source.name === name);
  if (named === undefined) throw unknownSourceError(name, ids);
  return named.id;
}
