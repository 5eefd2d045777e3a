import { LociError, messageOf } from '../../core/errors.ts';
import { shellWord } from '../../core/text/split-command.ts';
import type { Origin, Timestamp } from '../../core/types.ts';
import type { SourceState } from '../../store/admin-model.ts';
import { sourceStates } from '../../store/items/kinds.ts';
import { conversationsName } from '../../sources/conversation.ts';
import type { EngineContext } from '../context.ts';
import { isEnabled, otherSettings, vaultName, vaultsOfNamespace } from './configured/vault-names.ts';
import {
  approvalDetails,
  approvalStatus,
  resolveCommand,
  type ResolvedCommand,
} from './approval/approval.ts';
import { changesSince, parseApproval } from './approval/approval-record.ts';
import {
  configuredSources,
  type ConfiguredCommand,
  type ConversationFolder,
} from './configured/configured-sources.ts';
import type { CodeSource } from './configured/registered-sources.ts';
import { missingProgramError } from './approval/watched-files.ts';
import { isStale } from './configured/schedule.ts';

export const CONDITIONS = [
  /** Read within twice its interval. */
  'fresh',
  /** Not read for more than twice its interval. */
  'stale',
  /** Never read. */
  'new',
  /** The last attempt failed; the last good documents stay. */
  'failing',
  'paused',
  'disabled',
  /** Its command was never approved. */
  'waiting for approval',
  /** Its command or its watched files have changed since the approval. */
  'changed, waiting for approval',
  /** Its settings must be corrected before it can run. */
  'broken',
  /** It has documents in the store, but is no longer in the settings. */
  'gone',
  /** It is not in the settings; others had it when it was last read. */
  'set elsewhere',
  /** Conversations that were imported, and are not read again by themselves. */
  'imported',
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Whether the source is not in these settings, so that nothing can be done with it but to remove it. */
export function isUnconfigured(condition: Condition): boolean {
  return condition === 'gone' || condition === 'set elsewhere';
}

/** The state of a source, for the operator (S11). */
export interface SourceReport {
  readonly id: string;
  readonly name: string;
  /** `code`: a function that the program which uses Loci has registered. */
  readonly kind: 'vault' | 'command' | 'skill' | 'code' | 'conversations';
  readonly condition: Condition;
  /** The folder of a vault, a skill or conversations. */
  readonly folder: string | null;
  /** `null` for a vault, a function, and a command that is broken. */
  readonly command: ResolvedCommand | null;
  /** The changes since the approval, one line each. */
  readonly changes: readonly string[];
  readonly documents: number;
  readonly refreshInterval: number | null;
  /** How long its command may run; `null` if it has none. */
  readonly timeoutMs: number | null;
  readonly state: SourceState | null;
  /** Why it is broken, or why the last attempt failed. */
  readonly error: string | null;
  /** How to repair a broken source, if that is known. */
  readonly hint: string | null;
  /** The other settings that had it when it was last read; `null` unless it is set elsewhere. */
  readonly settings: string | null;
}

/** The vaults and sources of the settings and of skills, and those that are gone but have documents in the store. */
export async function sourceReports(
  context: EngineContext,
  reading = sourceStates(context.store.records, context.namespace),
): Promise<SourceReport[]> {
  const { now } = context;
  const [states, counts, ofVaults, { sources, broken: brokenSkills }] = await Promise.all([
    reading,
    documentCounts(context),
    documentCounts(context, ['vault']),
    configuredSources(context),
  ]);
  const vaults = vaultsOfNamespace(context).map((vault): SourceReport => {
    const id = vaultName(vault);
    const state = states.get(id) ?? null;
    const interval = vault.refreshInterval ?? 0;
    return {
      ...common(id, state, counts),
      kind: 'vault',
      folder: vault.path,
      refreshInterval: interval,
      // A vault is never stale here: `status` and `doctor` compare its files with the store.
      condition: conditionOf(state, { enabled: isEnabled(vault), interval: Infinity, now: now() }),
    };
  });
  const commands = await Promise.all(
    sources.map(async (source) => {
      const state = states.get(source.id) ?? null;
      return source.kind === 'command'
        ? commandReport(context, source, state, counts)
        : readReport(context, source, state, counts);
    }),
  );
  const unusable = brokenSkills.map(({ id, folder, problem }): SourceReport => ({
    ...common(id, null, counts),
    kind: 'skill',
    condition: 'broken',
    folder,
    error: problem,
  }));
  const listed = [...vaults, ...commands, ...unusable];
  return [...listed, ...leftOver(context, listed, { states, counts, vaultNames: new Set(ofVaults.keys()) })];
}

function common(
  id: string,
  state: SourceState | null,
  counts: ReadonlyMap<string, number>,
): Omit<SourceReport, 'kind' | 'condition'> {
  return {
    id,
    name: id,
    folder: null,
    command: null,
    changes: [],
    documents: counts.get(id) ?? 0,
    refreshInterval: null,
    timeoutMs: null,
    state,
    error: state?.error ?? null,
    hint: null,
    settings: null,
  };
}

function readReport(
  { now }: EngineContext,
  source: CodeSource | ConversationFolder,
  state: SourceState | null,
  counts: ReadonlyMap<string, number>,
): SourceReport {
  const { id, name, kind, settings } = source;
  const { refreshInterval, enabled } = settings;
  const condition = conditionOf(state, { enabled, interval: refreshInterval, now: now() });
  const folder = source.kind === 'code' ? null : source.path;
  return { ...common(id, state, counts), name, kind, folder, refreshInterval, condition };
}

async function commandReport(
  context: EngineContext,
  source: ConfiguredCommand,
  state: SourceState | null,
  counts: ReadonlyMap<string, number>,
): Promise<SourceReport> {
  const { id, name, settings, skill } = source;
  const report = {
    ...common(id, state, counts),
    name,
    kind: skill === null ? ('command' as const) : ('skill' as const),
    folder: skill,
    refreshInterval: settings.refreshInterval,
    timeoutMs: settings.timeout,
  };
  try {
    const approved = parseApproval(state);
    const command = await resolveCommand(source, approved);
    const status = approvalStatus(context, source, command, state);
    const { refreshInterval: interval, enabled } = settings;
    const needsApproval = status === 'changed' || status === 'unreadable';
    const changes =
      needsApproval && approved !== null
        ? changesSince(approved, await approvalDetails(context, command))
        : [];
    const resolved = { ...report, command, changes };
    if (enabled && command.program === null)
      return { ...resolved, ...broken(await missingProgramError(command.argv[0] ?? '', command.cwd)) };
    const condition = enabled ? UNAPPROVED_CONDITIONS[status] : null;
    return {
      ...resolved,
      condition: condition ?? conditionOf(state, { enabled, interval, now: context.now() }),
    };
  } catch (error) {
    return { ...report, ...broken(error) };
  }
}

const UNAPPROVED_CONDITIONS = {
  approved: null,
  missing: 'waiting for approval',
  changed: 'changed, waiting for approval',
  unreadable: 'changed, waiting for approval',
} as const;

function broken(error: unknown): Pick<SourceReport, 'condition' | 'error' | 'hint'> {
  const hint = error instanceof LociError ? error.hint : null;
  return { condition: 'broken', error: messageOf(error), hint };
}

function conditionOf(
  state: SourceState | null,
  {
    enabled,
    interval,
    now,
  }: { readonly enabled: boolean; readonly interval: number; readonly now: Timestamp },
): Condition {
  if (!enabled) return 'disabled';
  if (state?.paused === true) return 'paused';
  if (state !== null && state.consecutiveFailures > 0) return 'failing';
  if ((state?.readAt ?? null) === null || state === null) return 'new';
  return isStale(state, interval, now) ? 'stale' : 'fresh';
}

interface StoredSources {
  readonly states: ReadonlyMap<string, SourceState>;
  readonly counts: ReadonlyMap<string, number>;
  readonly vaultNames: ReadonlySet<string>;
}

/** Sources and vaults that are not in the settings. */
function leftOver(
  context: EngineContext,
  listed: readonly SourceReport[],
  { states, counts, vaultNames }: StoredSources,
): SourceReport[] {
  const listedIds = new Set(listed.map(({ id }) => id));
  // An imported folder has a state too, but nothing to refresh.
  const approved = [...states].filter(([, { approval }]) => approval !== null).map(([id]) => id);
  const ids = [...new Set([...counts.keys(), ...approved])].filter((id) => !listedIds.has(id)).toSorted();
  return ids.map((id) => {
    const state = states.get(id) ?? null;
    // The notes of an imported vault have no folder here.
    const isVault = vaultNames.has(id) || (state !== null && state.root !== null);
    if (state?.hasConversations === true) {
      const name = conversationsName(id);
      return { ...common(id, state, counts), name, kind: 'conversations', condition: 'imported' };
    }
    const kind = isVault ? 'vault' : 'command';
    const place = otherSettings(context, state);
    const report = { ...common(id, state, counts), kind, folder: state?.root ?? null } as const;
    if (place === null) return { ...report, condition: 'gone' };
    const hint = `${place} had it when it was last read. If it no longer has it: \`loci sources remove ${shellWord(id)}\``;
    return { ...report, condition: 'set elsewhere', hint, settings: place };
  });
}

async function documentCounts(
  { store, namespace, now }: EngineContext,
  origins: readonly Origin[] = ['source', 'vault'],
): Promise<Map<string, number>> {
  const filter = { now: now(), origins };
  const counts = await store.records.facet(namespace, 'source', filter);
  return new Map(counts.map(({ value, records }) => [value, records]));
}
