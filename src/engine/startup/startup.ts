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
import { screenTexts } from '../shared/screen.ts';
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
import type { Config } from '../../config/schema.ts';
import { cutOffset, lastSentenceEnd } from '../../core/text/cut-offset.ts';

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
    const problem = await recordSeen(context, seenNow);
    if (problem !== null) {
      const notice = `${problem}, so that it is not recorded that the session has seen the text: it gets the text again`;
      return { ...startupText(mode, budget, { included: selected.included, leftOut }), notice };
    }
  }
  return startupText(mode, budget, { included: selected.included, leftOut });
}

/** Returns why it cannot be recorded, such as on a replica; `null` if it was. */
async function recordSeen(
  { store, namespace }: EngineContext,
  seen: Parameters<typeof startupDigestChanges>[0],
): Promise<string | null> {
  if (store.capabilities.readOnly) return 'the store can only be read here';
  try {
    await store.records.commit(namespace, { items: startupDigestChanges(seen) });
    return null;
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    return error.message;
  }
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

const SEPARATOR = '\n\n';
/** Stands where the rest of an entry is missing. */
const CUT_MARK = '[… cut]';
/** A paragraph that ends before this share of the room is not used if a later sentence ends within the room. */
const MIN_PARAGRAPH_SHARE = 0.5;
/** Entries of this priority are never left out whole, unless the budget has no character for each. */
const GUARANTEED_PRIORITY = 0;

interface IncludedEntry {
  readonly entry: StartupEntry;
  /** The content, or its beginning with a mark where it was cut. */
  readonly text: string;
}

interface OmittedEntry {
  readonly entry: StartupEntry;
  readonly why: string;
  /** Whether it did not fit into the budget. */
  readonly tooLong: boolean;
}

interface Packed {
  readonly included: readonly IncludedEntry[];
  readonly leftOut: readonly OmittedEntry[];
}

/** The budget of the longest part of the model's name that has one. The case of letters does not matter. */
function budgetFor(settings: Config['startup'], model: string | undefined): number {
  const name = model?.toLowerCase() ?? '';
  const parts = Object.keys(settings.maxCharsByModel).filter((part) => name.includes(part.toLowerCase()));
  const [longest] = parts.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return (longest === undefined ? undefined : settings.maxCharsByModel[longest]) ?? settings.maxChars;
}

/** Why an entry does not fit into the budget of most models; `null` when it fits. */
export function whyTooLong(settings: Config['startup'], { content }: StartupEntry): string | null {
  const budget = budgetFor(settings, undefined);
  if (content.length <= budget) return null;
  const lengths = `it has ${String(content.length)} characters and startup.maxChars is ${String(budget)}`;
  return `${lengths}: agents do not get all of it`;
}

export function joinTexts(included: readonly IncludedEntry[]): string {
  return included.map(({ text }) => text).join(SEPARATOR);
}

/**
 * Adds entries in order of priority. One that does not fit is cut, and no entry of a lower priority follows it. The entries of
 * priority 0 each have an equal share of the budget for certain, and get what the others of them do not need.
 *
 * @param entries in order of priority
 */
export function packStartup(entries: readonly StartupEntry[], budget: number): Packed {
  const included: IncludedEntry[] = [];
  const leftOut: OmittedEntry[] = [];
  const reserved = reservations(entries, budget);
  let reservedLeft = reserved.reduce((sum, length) => sum + length, 0);
  let used = 0;
  let lowestPriority = Infinity;
  for (const [index, entry] of entries.entries()) {
    if (entry.priority > lowestPriority) {
      const why = `an entry of priority ${String(lowestPriority)} did not fit, so that no entry of a lower priority is given`;
      leftOut.push({ entry, why, tooLong: true });
      continue;
    }
    reservedLeft -= reserved[index] ?? 0;
    const separator = included.length === 0 ? 0 : SEPARATOR.length;
    const room = budget - used - separator - reservedLeft;
    const text = fit(entry, room);
    if (text !== entry.content) lowestPriority = entry.priority;
    if (text === null) {
      const why = `it has ${String(entry.content.length)} characters, and ${String(Math.max(0, room))} of ${String(budget)} are left`;
      leftOut.push({ entry, why, tooLong: true });
    } else {
      included.push({ entry, text });
      used += separator + text.length;
    }
  }
  return { included, leftOut };
}

/** How many characters are kept free for each entry of priority 0, with the separator before it. */
function reservations(entries: readonly StartupEntry[], budget: number): readonly number[] {
  const guaranteed = entries.filter(({ priority }) => priority === GUARANTEED_PRIORITY);
  const separators = SEPARATOR.length * Math.max(0, guaranteed.length - 1);
  const share = Math.max(0, Math.floor((budget - separators) / guaranteed.length));
  return guaranteed.map(({ content }) => Math.min(content.length, share) + SEPARATOR.length);
}

/** The content, or what fits of it; `null` when nothing does. */
function fit({ content, priority }: StartupEntry, room: number): string | null {
  if (content.length <= room) return content;
  const cut = cutAtParagraph(content, room) ?? cutAtSentence(content, room);
  if (cut !== null || priority !== GUARANTEED_PRIORITY) return cut;
  return cutAnywhere(content, room);
}

/** Null also where cutting at a sentence keeps much more. */
function cutAtParagraph(content: string, room: number): string | null {
  const limit = room - SEPARATOR.length - CUT_MARK.length;
  const end = content.lastIndexOf('\n\n', limit);
  const kept = content.slice(0, Math.max(0, end)).trimEnd();
  const isShort = kept.length < limit * MIN_PARAGRAPH_SHARE;
  if (kept === '' || (isShort && cutAtSentence(content, room, kept.length) !== null)) return null;
  return `${kept}${SEPARATOR}${CUT_MARK}`;
}

/**
 * Cuts at the end of a line too, because the items of a list are rarely sentences.
 *
 * @param from where the sentence ends at the earliest
 */
function cutAtSentence(content: string, room: number, from = 0): string | null {
  const limit = room - 1 - CUT_MARK.length;
  if (limit <= from) return null;
  const end = Math.max(lastSentenceEnd(content, from, limit) ?? 0, content.lastIndexOf('\n', limit));
  const kept = content.slice(0, Math.max(0, end)).trimEnd();
  if (kept.length <= from) return null;
  return `${kept}${content[end] === '\n' ? '\n' : ' '}${CUT_MARK}`;
}

/** Cuts at a word, or between two characters. A room that the mark would fill gets an ellipsis instead. */
function cutAnywhere(content: string, room: number): string | null {
  const mark = room >= 3 * CUT_MARK.length ? ` ${CUT_MARK}` : '…';
  const limit = room - mark.length;
  if (limit <= 0) return null;
  const end = cutOffset(content, 0, limit, 'sentences');
  return end > limit ? null : `${content.slice(0, end).trimEnd()}${mark}`;
}
