import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { isSubject } from '../../core/caller.ts';
import type { AuditDraft, StartupEntry } from '../../store/admin-model.ts';
import {
  compareStartup,
  startupDigest,
  startupDigestChanges,
  startupEntries,
  startupPlaced,
  startupPut,
} from '../../store/items/kinds.ts';
import { auditDraft, contentDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { assertWithinLimits } from '../fields/limits.ts';
import { screenTexts } from '../records/screen.ts';
import { budgetFor, packStartup, joinTexts, whyTooLong, type OmittedEntry, type Packed } from './budget.ts';
import {
  agentOf,
  formatStartupEntry,
  type removeStartupInput,
  type setStartupInput,
  type StartupListOutput,
  type StartupRemoveOutput,
  type StartupSetOutput,
  type previewStartupInput,
  type StartupTextOutput,
} from './startup-fields.ts';

type StartupMode = StartupTextOutput['mode'];

export type StartupRequest = z.infer<typeof previewStartupInput> & {
  /** Does not record that the session has seen the text. */
  readonly preview?: boolean;
};

/** A session that made no call for this long is forgotten. */
const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** In a namespace. A session that is forgotten gets the whole text again. */
const MAX_SESSIONS = 1000;

/** The text that an agent gets when a session starts (R10). */
export async function injectStartup(
  context: EngineContext,
  request: StartupRequest,
): Promise<StartupTextOutput> {
  const { store, namespace, config } = context;
  const { agent = '' } = request;
  // Only a hash is stored: the host chooses the name of the session, and it may be personal.
  const session = request.session === undefined ? undefined : sha256(request.session);
  const mode = request.mode ?? config.startup.mode;
  const budget = budgetFor(config.startup, request.model);
  const entries = withDraft(await liveEntries(context), request.draft);
  const visible = entries.filter((entry) => entry.agent === '' || entry.agent === agent);
  const { chosen, replaced } = selectForAgent(visible, agent);
  const whole = packStartup(chosen, budget);
  const digest = sha256(joinTexts(whole.included));
  const seen =
    session === undefined ? null : await startupDigest(store.records, namespace, { agent, session });
  const selected = selectForSession(mode, seen, digest, whole, chosen);
  const off = !config.startup.enabled;
  const leftOut = [...replaced, ...selected.leftOut];
  if (off) {
    const all = [...selected.included, ...leftOut].map(({ entry }) => entry);
    const why = 'startup.enabled is false';
    return startupText(mode, budget, { included: [], leftOut: omitted(all, why) });
  }
  if (session !== undefined && request.preview !== true && seen !== digest) {
    const at = context.now();
    const forgetBefore = at - SESSION_LIFETIME_MS;
    const seenNow = { agent, session, digest, at, forgetBefore, keep: MAX_SESSIONS };
    try {
      await store.records.commit(namespace, { items: startupDigestChanges(seenNow) });
    } catch (error) {
      if (!(error instanceof LociError)) throw error;
      const notice = `that the session has seen the text cannot be recorded, so that it gets it again: ${error.message}`;
      return { ...startupText(mode, budget, { included: selected.included, leftOut }), notice };
    }
  }
  return startupText(mode, budget, { included: selected.included, leftOut });
}

/** The entries as they would be after a change. */
function withDraft(
  entries: readonly StartupEntry[],
  draft: StartupRequest['draft'],
): readonly StartupEntry[] {
  if (draft === undefined) return entries;
  const { agent = '', key, content } = draft;
  const before = entries.find((entry) => entry.agent === agent && entry.key === key);
  const priority = draft.priority ?? before?.priority ?? DEFAULT_PRIORITY;
  const place = placeOf(entries, before, priority);
  const times = { createdAt: 0, updatedAt: 0, deletedAt: null };
  const entry = { agent, key, content, priority, reinforce: before?.reinforce ?? false, ...times, ...place };
  return [...entries.filter((each) => each !== before), entry].sort(compareStartup);
}

/** The text is deterministic: equal entries give equal bytes. */
function startupText(mode: StartupMode, budget: number, { included, leftOut }: Packed): StartupTextOutput {
  const text = included.length === 0 ? '' : joinTexts(included);
  return {
    text,
    mode,
    characters: text.length,
    budget,
    included: included.map(({ entry: { key, agent, priority, content }, text: given }) => ({
      key,
      agent: agentOf(agent),
      priority,
      characters: given.length,
      cut_from: given === content ? null : content.length,
    })),
    left_out: leftOut.map(({ entry: { key, agent, priority }, why, tooLong }) => ({
      key,
      agent: agentOf(agent),
      priority,
      why,
      too_long: tooLong,
    })),
  };
}

function omitted(entries: readonly StartupEntry[], why: string): readonly OmittedEntry[] {
  return entries.map((entry) => ({ entry, why, tooLong: false }));
}

/** An entry for this agent replaces the entry with the same key for every agent. */
function selectForAgent(
  entries: readonly StartupEntry[],
  agent: string,
): { chosen: readonly StartupEntry[]; replaced: Packed['leftOut'] } {
  const agentKeys = new Set(entries.filter((entry) => entry.agent !== '').map(({ key }) => key));
  const replaced = entries.filter((entry) => entry.agent === '' && agentKeys.has(entry.key));
  const why = `the entry with the same key for ${agent} replaces it`;
  return {
    chosen: entries.filter((entry) => !replaced.includes(entry)),
    replaced: omitted(replaced, why),
  };
}

function selectForSession(
  mode: StartupMode,
  seen: string | null,
  digest: string,
  whole: Packed,
  chosen: readonly StartupEntry[],
): Packed {
  if (mode === 'always' || seen === null) return whole;
  if (mode === 'first-run')
    return { included: [], leftOut: omitted(chosen, 'the session got it at its first turn') };
  if (seen !== digest) return whole;
  const repeated = whole.included.filter(({ entry }) => entry.reinforce);
  const rest = whole.included.filter(({ entry }) => !entry.reinforce).map(({ entry }) => entry);
  const why = 'the session has seen it, nothing has changed, and it is not reinforced';
  return { included: repeated, leftOut: [...omitted(rest, why), ...whole.leftOut] };
}

/** The entries that are not deleted, in the order of the startup text. */
export async function listStartup(context: EngineContext): Promise<StartupListOutput> {
  const { maxChars, maxCharsByModel } = context.config.startup;
  return {
    entries: (await liveEntries(context)).map(formatStartupEntry),
    budgets: [
      { model: null, characters: maxChars },
      ...Object.entries(maxCharsByModel).map(([model, characters]) => ({ model, characters })),
    ],
  };
}

async function liveEntries({ store, namespace }: EngineContext): Promise<StartupEntry[]> {
  return (await startupEntries(store.records, namespace)).filter(({ deletedAt }) => deletedAt === null);
}

const DEFAULT_PRIORITY = 2;

/** @throws LociError `invalid_input` */
export function assertValidEntry({
  agent,
  ...texts
}: Pick<StartupEntry, 'agent' | 'key'> & Partial<Pick<StartupEntry, 'content'>>): void {
  assertWithinLimits(texts);
  if (agent !== '' && !isSubject(agent))
    throw new LociError(
      'invalid_input',
      'the agent is not a valid name: it has control characters, or spaces around it',
    );
}

/** Creates an entry, or changes the given fields of one. @throws LociError `invalid_input`, `secret_refused` */
export async function setStartup(
  context: EngineContext,
  request: z.infer<typeof setStartupInput>,
): Promise<StartupSetOutput> {
  const { agent: asked = '', content } = request;
  const given = { agent: asked, key: request.key, ...(content === undefined ? {} : { content }) };
  assertValidEntry(given);
  const { texts, masked } = await screenTexts(context, given);
  const { agent, key } = texts;
  const entries = await startupEntries(context.store.records, context.namespace);
  const before = entries.find((entry) => entry.agent === agent && entry.key === key);
  const text = texts.content ?? before?.content;
  if (text === undefined) {
    throw new LociError('invalid_input', `the new entry ${JSON.stringify(key)} has no content`, {
      hint: 'Give the text that agents are to get.',
    });
  }
  const now = context.now();
  const priority = request.priority ?? before?.priority ?? DEFAULT_PRIORITY;
  const others = entries.filter((each) => each.deletedAt === null && each !== before);
  const moves = request.position === undefined ? [] : placedAround(others, priority, request.position);
  const entry: StartupEntry = {
    agent,
    key,
    content: text,
    priority,
    ...(request.position === undefined
      ? placeOf(others, before, priority)
      : { place: Math.min(request.position, moves.length + 1) }),
    reinforce: request.reinforce ?? before?.reinforce ?? false,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    deletedAt: null,
  };
  const draft = startupAuditDraft(context, 'startup-set', before, entry);
  const isSame = before !== undefined && Object.keys(draft.diff ?? {}).length === 0;
  const items = moves.flatMap(({ entry: each, place }) =>
    each.place === place ? [] : [startupPlaced(each, place)],
  );
  if (!isSame || items.length > 0)
    await context.store.records.commit(context.namespace, {
      items: [startupPut(entry), ...items],
      audit: [draft],
    });
  const tooLong = whyTooLong(context.config.startup, entry);
  return { entry: formatStartupEntry(entry), created: before === undefined, masked, too_long: tooLong };
}

/** The others of a priority, and their places around an entry at this position. */
function placedAround(
  others: readonly StartupEntry[],
  priority: number,
  position: number,
): { readonly entry: StartupEntry; readonly place: number }[] {
  return others
    .filter((each) => each.priority === priority)
    .map((entry, i) => ({ entry, place: i + 1 < position ? i + 1 : i + 2 }));
}

/** The place that an entry keeps, or the last one, if the entries of its priority have places. */
function placeOf(
  others: readonly StartupEntry[],
  before: StartupEntry | undefined,
  priority: number,
): Pick<StartupEntry, 'place'> {
  if (before?.priority === priority) return before.place === undefined ? {} : { place: before.place };
  const last = Math.max(0, ...others.map((each) => (each.priority === priority ? (each.place ?? 0) : 0)));
  return last === 0 ? {} : { place: last + 1 };
}

/** The audit entry for a change of a startup entry. */
export function startupAuditDraft(
  context: EngineContext,
  action: string,
  before: StartupEntry | undefined,
  after: StartupEntry,
): AuditDraft {
  const content = before?.content ?? '';
  const priority = before?.priority ?? null;
  const place = { before: before?.place ?? null, after: after.place ?? null };
  const reinforce = before?.reinforce ?? null;
  const wasDeleted = (before?.deletedAt ?? null) !== null;
  const isDeleted = after.deletedAt !== null;
  const diff = {
    ...(content !== after.content && { content: contentDiff(content, after.content) }),
    ...(priority !== after.priority && { priority: { before: priority, after: after.priority } }),
    ...(place.before !== place.after && { place }),
    ...(reinforce !== after.reinforce && { reinforce: { before: reinforce, after: after.reinforce } }),
    ...(wasDeleted !== isDeleted && { deleted: { before: wasDeleted, after: isDeleted } }),
  };
  return auditDraft(context, action, startupSubject(after), diff);
}

/** Marks an entry as deleted; `setStartup` with its key restores it. @throws LociError `not_found` */
export async function removeStartup(
  context: EngineContext,
  { key, agent = '' }: z.infer<typeof removeStartupInput>,
): Promise<StartupRemoveOutput> {
  const entry = await findEntry(context, agent, key);
  if (entry === undefined || entry.deletedAt !== null) {
    const whom = agent === '' ? '' : ` for ${agent}`;
    throw new LociError('not_found', `there is no startup entry ${JSON.stringify(key)}${whom}`, {
      hint: '`startup_list` lists all entries.',
    });
  }
  const now = context.now();
  const removed = { ...entry, deletedAt: now, updatedAt: now };
  await context.store.records.commit(context.namespace, {
    items: [startupPut(removed)],
    audit: [auditDraft(context, 'startup-remove', startupSubject(entry))],
  });
  return { removed: formatStartupEntry(removed) };
}

async function findEntry(
  { store, namespace }: EngineContext,
  agent: string,
  key: string,
): Promise<StartupEntry | undefined> {
  return (await startupEntries(store.records, namespace)).find(
    (entry) => entry.agent === agent && entry.key === key,
  );
}

/** The subject of a startup entry in the audit log. */
export function startupSubject({ agent, key }: StartupEntry): string {
  return agent === '' ? `startup:${key}` : `startup:${agent}:${key}`;
}
