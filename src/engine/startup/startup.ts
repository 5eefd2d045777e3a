import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { isSubject } from '../../core/caller.ts';
import type { Config } from '../../config/schema.ts';
import type { AuditDraft, StartupEntry } from '../../store/admin-model.ts';
import { auditDraft, contentDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { assertWithinLimits } from '../records/limits.ts';
import { screenTexts } from '../records/screen.ts';

export type StartupMode = Config['startup']['mode'];

export interface StartupRequest {
  /** The model's name: a part of it chooses the budget. */
  readonly model?: string;
  readonly agent?: string;
  /** Without one, every call is a first one. */
  readonly session?: string;
  /** Else the configured one. */
  readonly mode?: StartupMode;
  /** Tells what would be injected, and notes nothing. */
  readonly preview?: boolean;
}

export interface StartupText {
  /** What to inject; the same selection gives the same bytes. */
  readonly text: string;
  readonly mode: StartupMode;
  readonly budget: number;
  readonly included: readonly StartupEntry[];
  readonly leftOut: readonly OmittedEntry[];
}

export interface OmittedEntry {
  readonly entry: StartupEntry;
  readonly why: string;
  /** Whether it is for want of room. */
  readonly tooLong: boolean;
}

const SEPARATOR = '\n\n';
/** Sessions are forgotten when they were not heard of for so long, milliseconds. */
const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** Of a namespace; a session beyond them is told everything once more. */
const MAX_SESSIONS = 1000;

/** What an agent is told before it begins (R10). */
export async function injectStartup(context: EngineContext, request: StartupRequest): Promise<StartupText> {
  const { store, namespace, config } = context;
  const { agent = '' } = request;
  // Hosts call sessions what they like; nobody reads the name again.
  const session = request.session === undefined ? undefined : sha256(request.session);
  const mode = request.mode ?? config.startup.mode;
  const budget = budgetFor(config.startup, request.model);
  const entries = await listStartup(context);
  const mine = entries.filter((entry) => entry.agent === '' || entry.agent === agent);
  const { chosen, replaced } = selectForAgent(mine, agent);
  const whole = pack(chosen, budget);
  const digest = sha256(textOf(whole.included));
  const seen =
    session === undefined ? null : (await store.records.startup(namespace, { agent, session })).digest;
  const said = selectForSession(mode, seen, digest, whole, chosen, budget);
  const off = !config.startup.enabled;
  const leftOut = [...replaced, ...said.leftOut];
  if (off) {
    const all = [...said.included, ...leftOut.map(({ entry }) => entry)];
    const why = 'startup.enabled is false';
    return { text: '', mode, budget, included: [], leftOut: omitted(all, why) };
  }
  if (session !== undefined && request.preview !== true && seen !== digest) {
    const at = context.now();
    const forgetBefore = at - SESSION_LIFETIME_MS;
    const seenNow = { agent, session, digest, at, forgetBefore, keep: MAX_SESSIONS };
    await store.records.commit(namespace, { startupDigest: seenNow });
  }
  return { text: textOf(said.included), mode, budget, included: said.included, leftOut };
}

interface Packed {
  readonly included: readonly StartupEntry[];
  readonly leftOut: readonly OmittedEntry[];
}

function omitted(entries: readonly StartupEntry[], why: string): readonly OmittedEntry[] {
  return entries.map((entry) => ({ entry, why, tooLong: false }));
}

/** Why an entry is told to nobody whose model has no budget of its own; `null` when it fits. */
export function whyTooLong(settings: Config['startup'], { content }: StartupEntry): string | null {
  const budget = budgetFor(settings, undefined);
  if (content.length <= budget) return null;
  return `it has ${String(content.length)} characters and startup.maxChars is ${String(budget)}: agents are not told of it`;
}

/** The longest part of a model's name that has a budget decides; letters in any case. */
function budgetFor(settings: Config['startup'], model: string | undefined): number {
  const name = model?.toLowerCase() ?? '';
  const parts = Object.keys(settings.maxCharsByModel).filter((part) => name.includes(part.toLowerCase()));
  const [longest] = parts.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return (longest === undefined ? undefined : settings.maxCharsByModel[longest]) ?? settings.maxChars;
}

/** An entry for this agent takes the place of one for all of the same key. */
function selectForAgent(
  entries: readonly StartupEntry[],
  agent: string,
): { chosen: readonly StartupEntry[]; replaced: Packed['leftOut'] } {
  const own = new Set(entries.filter((entry) => entry.agent !== '').map(({ key }) => key));
  const replaced = entries.filter((entry) => entry.agent === '' && own.has(entry.key));
  const why = `the entry of the same key for ${agent} takes its place`;
  return {
    chosen: entries.filter((entry) => !replaced.includes(entry)),
    replaced: omitted(replaced, why),
  };
}

/** In order of priority, each entry whole or not at all; a smaller one behind one that is too large still fits. */
function pack(entries: readonly StartupEntry[], budget: number): Packed {
  const included: StartupEntry[] = [];
  const leftOut: OmittedEntry[] = [];
  let used = 0;
  for (const entry of entries) {
    const needs = entry.content.length + (included.length === 0 ? 0 : SEPARATOR.length);
    if (used + needs <= budget) {
      included.push(entry);
      used += needs;
    } else {
      const left = String(budget - used);
      const why = `it needs ${String(needs)} characters, and ${left} of ${String(budget)} are left`;
      leftOut.push({ entry, why, tooLong: true });
    }
  }
  return { included, leftOut };
}

function selectForSession(
  mode: StartupMode,
  seen: string | null,
  digest: string,
  whole: Packed,
  chosen: readonly StartupEntry[],
  budget: number,
): Packed {
  if (mode === 'always' || seen === null) return whole;
  if (mode === 'first-run')
    return { included: [], leftOut: omitted(chosen, 'the session was told at its first turn') };
  if (seen !== digest) return whole;
  const again = pack(
    whole.included.filter(({ reinforce }) => reinforce),
    budget,
  );
  const rest = whole.included.filter(({ reinforce }) => !reinforce);
  const why = 'the session knows it, nothing has changed, and it is not to be reinforced';
  return { included: again.included, leftOut: [...again.leftOut, ...omitted(rest, why), ...whole.leftOut] };
}

function textOf(entries: readonly StartupEntry[]): string {
  return entries.map(({ content }) => content).join(SEPARATOR);
}

/** The entries that are not deleted, in the order of the startup text. */
export async function listStartup({ store, namespace }: EngineContext): Promise<StartupEntry[]> {
  return (await store.records.startup(namespace)).entries.filter(({ deletedAt }) => deletedAt === null);
}

export interface StartupSetRequest {
  readonly key: string;
  readonly content?: string;
  /** 0 to 9, 0 first; 2 for a new entry unless given. */
  readonly priority?: number;
  readonly reinforce?: boolean;
  readonly agent?: string;
}

export interface StartupSetResponse {
  readonly entry: StartupEntry;
  readonly created: boolean;
  readonly masked: readonly string[];
  /** Why agents are not told of it; `null` when it fits. */
  readonly tooLong: string | null;
}

const DEFAULT_PRIORITY = 2;

/** @throws LociError `invalid_input` */
export function assertValidEntry({ agent, ...texts }: EntryTexts): void {
  assertWithinLimits(texts);
  if (agent !== '' && !isSubject(agent))
    throw new LociError(
      'invalid_input',
      'the agent is no name: it has control characters, or spaces around it',
    );
}

interface EntryTexts {
  readonly agent: string;
  readonly key: string;
  readonly content?: string;
}

/** Makes an entry, or changes what is given of one. @throws LociError `invalid_input`, `secret_refused` */
export async function setStartup(
  context: EngineContext,
  request: StartupSetRequest,
): Promise<StartupSetResponse> {
  const { agent: asked = '', content } = request;
  const given = { agent: asked, key: request.key, ...(content === undefined ? {} : { content }) };
  assertValidEntry(given);
  const { texts, masked } = await screenTexts(context, given);
  const { agent, key } = texts;
  const before = await findEntry(context, agent, key);
  const text = texts.content ?? before?.content;
  if (text === undefined) {
    throw new LociError('invalid_input', `the new entry ${JSON.stringify(key)} has no content`, {
      hint: 'Say what agents are to be told.',
    });
  }
  const now = context.now();
  const entry: StartupEntry = {
    agent,
    key,
    content: text,
    priority: request.priority ?? before?.priority ?? DEFAULT_PRIORITY,
    reinforce: request.reinforce ?? before?.reinforce ?? false,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    deletedAt: null,
  };
  const draft = startupAuditDraft(context, 'startup-set', before, entry);
  const isSame = before !== undefined && Object.keys(draft.diff ?? {}).length === 0;
  if (!isSame) await context.store.records.commit(context.namespace, { startup: [entry], audit: [draft] });
  const tooLong = whyTooLong(context.config.startup, entry);
  return { entry, created: before === undefined, masked, tooLong };
}

/** What the audit log says of an entry that is set. */
export function startupAuditDraft(
  context: EngineContext,
  action: string,
  before: StartupEntry | undefined,
  after: StartupEntry,
): AuditDraft {
  const content = before?.content ?? '';
  const priority = before?.priority ?? null;
  const reinforce = before?.reinforce ?? null;
  const [was, is] = [before?.deletedAt ?? null, after.deletedAt].map((at) => at !== null);
  const diff = {
    ...(content !== after.content && { content: contentDiff(content, after.content) }),
    ...(priority !== after.priority && { priority: { before: priority, after: after.priority } }),
    ...(reinforce !== after.reinforce && { reinforce: { before: reinforce, after: after.reinforce } }),
    ...(was !== is && { deleted: { before: was ?? false, after: is ?? false } }),
  };
  return auditDraft(context, action, startupSubject(after), diff);
}

/** It is told to nobody any more; set again, it is as before. @throws LociError `not_found` */
export async function removeStartup(context: EngineContext, key: string, agent = ''): Promise<StartupEntry> {
  const entry = await findEntry(context, agent, key);
  if (entry === undefined || entry.deletedAt !== null) {
    const whom = agent === '' ? '' : ` for ${agent}`;
    throw new LociError('not_found', `no startup entry is called ${JSON.stringify(key)}${whom}`, {
      hint: '`loci startup list` shows them.',
    });
  }
  const now = context.now();
  const removed = { ...entry, deletedAt: now, updatedAt: now };
  await context.store.records.commit(context.namespace, {
    startup: [removed],
    audit: [auditDraft(context, 'startup-remove', startupSubject(entry))],
  });
  return removed;
}

async function findEntry(
  { store, namespace }: EngineContext,
  agent: string,
  key: string,
): Promise<StartupEntry | undefined> {
  return (await store.records.startup(namespace)).entries.find(
    (entry) => entry.agent === agent && entry.key === key,
  );
}

/** What the audit log calls an entry. */
export function startupSubject({ agent, key }: StartupEntry): string {
  return agent === '' ? `startup:${key}` : `startup:${agent}:${key}`;
}
