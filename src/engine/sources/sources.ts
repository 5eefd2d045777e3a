import { LociError, messageOf } from '../../core/errors.ts';
import type { Fetched } from '../../sources/document.ts';
import type { Closable, EngineContext } from '../context.ts';
import { forgetSource } from '../vaults/forget-source.ts';
import { embedNew } from '../vaults/embed-new.ts';
import { signalOption, type ProgressOptions } from '../../core/progress.ts';
import { ownVaults, vaultName } from '../vaults/vault-names.ts';
import { approvalDetails, resolveCommand, type ResolvedCommand } from './approval.ts';
import { changesSince, parseApproval, serializeApproval } from './approval-record.ts';
import { configuredSources, sourceNamed, type ConfiguredSource } from './configured.ts';
import { SourceKeeper, type KeepOptions } from '../refresh/keeper.ts';
import { missingProgramError } from './program.ts';
import { refreshSource, testSource, type Refreshed } from '../refresh/refresh.ts';
import { sourceReports, type SourceReport } from './reports.ts';

/** What came of a source's refresh. */
export type RefreshResult =
  Refreshed | { readonly id: string; readonly name: string; readonly error: LociError };

/** What may run now. */
export interface NewlyApproved extends ResolvedCommand {
  /** What is different from what was approved before, a line each; none for a first approval. */
  readonly changes: readonly string[];
}

/** Commands whose documents are searched beside everything else. */
export interface Sources {
  list(): Promise<SourceReport[]>;
  /**
   * Runs the commands now, those named or all that are enabled, paused ones too; one that fails does not keep the others
   * from it. One that is named and not enabled is a `conflict`.
   * @throws LociError `not_found` for an id that no source has; `aborted`
   */
  refresh(ids?: readonly string[], options?: ProgressOptions): Promise<RefreshResult[]>;
  /** Runs the command once and stores nothing. @throws LociError `not_approved`, `source_failed` … */
  test(id: string, signal?: AbortSignal): Promise<Fetched>;
  /**
   * From now on exactly this command may run. Only the operator may say so.
   * @throws LociError `not_found`; `conflict` when it is not what `fingerprint` says; `invalid_config` for a missing program
   */
  approve(id: string, fingerprint?: string): Promise<NewlyApproved>;
  /** Whether a source or vault is read by those who keep it fresh. */
  pause(id: string, paused: boolean): Promise<void>;
  /** Takes its documents, its approval and what is known of it out of the store; answers how many documents went. */
  forget(id: string, signal?: AbortSignal): Promise<number>;
  /** Keeps vaults and sources fresh until the engine, or what this answers, is closed. */
  keepFresh(options?: KeepOptions): Closable;
  /** Ends every command that runs, for good: whoever is about to close the engine need not wait for them. */
  stop(): Promise<void>;
}

export function sourcesOf(context: EngineContext): Sources {
  return {
    list: () => sourceReports(context),
    refresh: (ids, options = {}) =>
      whileOpen(context, options.signal, (signal) => refreshSources(context, ids, { ...options, signal })),
    test: (id, signal) =>
      whileOpen(context, signal, async (either) =>
        testSource(context, sourceNamed(await configuredSources(context), id), either),
      ),
    approve: (id, fingerprint) => approve(context, id, fingerprint),
    pause: (id, paused) => pause(context, id, paused),
    forget: (id, signal) => forgetSource(context, id, signal === undefined ? {} : { signal }),
    keepFresh: (options = {}) => {
      const keeper = new SourceKeeper(context, options);
      keeper.start();
      return context.untilClosed(keeper);
    },
    stop: () => context.stop(),
  };
}

/** Work that is stopped, and waited for, when the engine closes. */
async function whileOpen<Result>(
  context: EngineContext,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  const running = work(signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]));
  const held = context.untilClosed({
    close: async () => {
      closing.abort(new LociError('aborted', 'Loci is closing'));
      await running.catch(() => undefined);
    },
  });
  try {
    return await running;
  } finally {
    await held.close();
  }
}

async function refreshSources(
  context: EngineContext,
  ids: readonly string[] | undefined,
  options: ProgressOptions = {},
): Promise<RefreshResult[]> {
  const configured = await configuredSources(context);
  const meant =
    ids === undefined
      ? configured.sources.filter(({ settings }) => settings.enabled)
      : [...new Set(ids)].map((id) => sourceNamed(configured, id));
  const results = await Promise.all(meant.map((source) => refreshOne(context, source, options)));
  if (options.signal?.aborted === true) throw new LociError('aborted', 'refreshing was stopped');
  if (results.some((result) => 'added' in result && result.added + result.updated > 0)) {
    // Without a model they are found by text all the same, and embedded later (R16).
    await embedNew(context, options).catch((error: unknown) => {
      if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    });
  }
  return results;
}

async function refreshOne(
  context: EngineContext,
  source: ConfiguredSource,
  options: ProgressOptions,
): Promise<RefreshResult> {
  const tell = (stage: 'reading' | 'waiting'): void =>
    options.onProgress?.({ stage, subject: source.name, done: 0, total: 0 });
  try {
    if (!source.settings.enabled) throw switchedOff(source);
    return await refreshSource(context, source, {
      waits: true,
      onWait: () => tell('waiting'),
      onHeld: () => tell('reading'),
      ...signalOption(options),
    });
  } catch (error) {
    const told =
      error instanceof LociError ? error : new LociError('internal', messageOf(error), { cause: error });
    return { id: source.id, name: source.name, error: told };
  }
}

/** What is switched off is found nowhere: to take it in would be for nobody. */
function switchedOff({ id, skill }: ConfiguredSource): LociError {
  return new LociError('conflict', `${id} is switched off: \`enabled: false\` is in its settings`, {
    hint: `Take that out of ${skill === null ? 'loci.yaml' : 'its SKILL.md'} first; \`loci sources test ${id}\` runs it all the same, and stores nothing.`,
  });
}

async function approve(
  context: EngineContext,
  id: string,
  fingerprint: string | undefined,
): Promise<NewlyApproved> {
  const source = sourceNamed(await configuredSources(context), id);
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
  const before = parseApproval((await store.sourceStates(namespace)).get(id));
  const details = await approvalDetails(context, command);
  await store.changeSourceState(namespace, id, {
    approval: serializeApproval(command.fingerprint, details),
    approvedAt: now(),
    approvedBy: caller.actor,
    // The source is due at once.
    nextAt: null,
  });
  const isSame = before === null || before.fingerprint === command.fingerprint;
  return { ...command, changes: isSame ? [] : changesSince(before, details) };
}

/** @throws LociError `not_found` */
async function pause(context: EngineContext, id: string, paused: boolean): Promise<void> {
  const isVault = ownVaults(context).some((vault) => vaultName(vault) === id);
  if (!isVault) sourceNamed(await configuredSources(context), id);
  await context.store.changeSourceState(context.namespace, id, {
    paused,
    ...(paused ? {} : { nextAt: null }),
  });
}
