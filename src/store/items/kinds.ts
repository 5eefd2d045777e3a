/** What the items of each kind have, and how they are read and written. */

import { shortHash } from '../../core/ids.ts';
import type { Json, Timestamp } from '../../core/types.ts';
import type {
  AuditEntry,
  HistoryDraft,
  HistoryRow,
  HistorySelector,
  SourceState,
  StartupEntry,
  StoredToken,
  TokenKind,
} from '../admin-model.ts';
import type {
  ItemChange,
  ItemDraft,
  ItemCursor,
  ItemId,
  ItemKind,
  Items,
  ItemSelector,
  ReceiptCursor,
  ReceiptFilter,
  StoredItem,
  StoredReceipt,
} from '../item-model.ts';
import type { CommitBatch, IdempotencyKey, IdempotentResult, Page } from '../model.ts';
import { assertSafeIntegers } from '../rules/validation.ts';
import { storedJson, unlessDamaged } from '../sql/rows.ts';

/** Names an item whose body is damaged. */
const NAMES: Readonly<Record<ItemKind, (item: Pick<StoredItem, 'key' | 'position'>) => string>> = {
  startup: ({ key }) => `the startup entry ${key}`,
  startup_digest: ({ key }) => `what the session ${key} received`,
  pack_history: ({ position }) => `the inputs of run ${String(position)}`,
  pipeline_history: ({ position }) => `the inputs of run ${String(position)}`,
  receipt: ({ key }) => `the receipt ${key}`,
  source_state: ({ key }) => `the list of problems of source ${key}`,
  source_file: ({ key }) => `the state of the file ${key} of a source`,
  graph_layout: () => 'the positions of the nodes of the graph',
  token: ({ key }) => `the token ${key}`,
  idempotency: () => 'the answer for an idempotency key',
  unseen: ({ key }) => `the inbox's note of audit entry ${key}`,
};

export function itemName(item: Pick<StoredItem, 'kind' | 'key' | 'position'>): string {
  return NAMES[item.kind](item);
}

/** The body of an item. @throws LociError `store_corrupt` */
export function bodyOf(item: StoredItem): unknown {
  return storedJson(item.body, () => itemName(item));
}

/** A page of all items of a kind, which has fewer than this. */
const ALL_ITEMS = { after: null, limit: 1_000_000 } as const;

/** The item, unless it has expired at the time, if one is given. */
async function itemWithKey(
  items: Items,
  namespace: string,
  id: ItemId,
  liveAt?: Timestamp,
): Promise<StoredItem | undefined> {
  const selector = { ...id, by: 'key' as const, ...(liveAt !== undefined && { liveAt }) };
  return (await items.items(namespace, selector, { after: null, limit: 1 }))[0];
}

/** A page after a position, as a page of items. */
function afterPosition({ after, limit }: Page<number>): Page<ItemCursor> {
  return { after: after === null ? null : { position: after }, limit };
}

/** A key of several texts, of which each may have any character. */
function joined(...texts: readonly string[]): string {
  return JSON.stringify(texts);
}

// ── Idempotency keys ─────────────────────────────────────────────────────────────────────────────

/** The result of the batch with this idempotency key; `null` if there was none or the key has expired. */
export async function idempotentResult(
  items: Items,
  namespace: string,
  key: string,
  now: Timestamp,
): Promise<IdempotentResult | null> {
  const item = await itemWithKey(items, namespace, { kind: 'idempotency', key }, now);
  return item === undefined ? null : (bodyOf(item) as IdempotentResult);
}

/** A key that was used already is a `conflict`. */
export function idempotencyPut(
  { key, fingerprint, at, expiresAt }: IdempotencyKey,
  records: readonly number[],
): ItemChange {
  const body = { fingerprint, records: [...records] };
  return { put: { kind: 'idempotency', key, at, expiresAt, body }, ifExists: 'fail' };
}

// ── Startup entries ──────────────────────────────────────────────────────────────────────────────

/** In any state, by priority, place, key and agent. */
export async function startupEntries(items: Items, namespace: string): Promise<StartupEntry[]> {
  const found = await items.items(namespace, { kind: 'startup', by: 'key' }, ALL_ITEMS);
  return found.map((item) => bodyOf(item) as StartupEntry).sort(compareStartup);
}

/** The order of the startup text. */
export function compareStartup(a: StartupEntry, b: StartupEntry): number {
  const places = (a.place ?? 0) - (b.place ?? 0);
  return a.priority - b.priority || places || compare(a.key, b.key) || compare(a.agent, b.agent);
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Replaces the entry with the same agent and key. */
export function startupPut(entry: StartupEntry): ItemChange {
  const key = joined(entry.agent, entry.key);
  return { put: { kind: 'startup', key, at: entry.updatedAt, body: { ...entry } } };
}

/** Gives an entry another place among those of its priority. */
export function startupPlaced(
  { agent, key }: Pick<StartupEntry, 'agent' | 'key'>,
  place: number,
): ItemChange {
  return { change: { kind: 'startup', key: joined(agent, key) }, set: { place } };
}

/** The digest of what a session of an agent received last; `null` if it received nothing yet. */
export async function startupDigest(
  items: Items,
  namespace: string,
  { agent, session }: { readonly agent: string; readonly session: string },
): Promise<string | null> {
  const item = await itemWithKey(items, namespace, { kind: 'startup_digest', key: joined(agent, session) });
  return item === undefined ? null : (bodyOf(item) as string);
}

/** The startup text that a session of an agent received. */
export interface StartupDigest {
  readonly agent: string;
  readonly session: string;
  readonly digest: string;
  readonly at: Timestamp;
  /** Older digests of the namespace are removed, and all but the newest `keep`. */
  readonly forgetBefore: Timestamp;
  readonly keep: number;
}

export function startupDigestChanges(given: StartupDigest): ItemChange[] {
  const { agent, session, digest, at, forgetBefore, keep } = given;
  const of = 'startup_digest';
  return [
    { put: { kind: of, key: joined(agent, session), at, body: digest } },
    { of, forgetBefore },
    { of, keepNewest: keep, by: 'at' },
  ];
}

// ── History ──────────────────────────────────────────────────────────────────────────────────────

export async function historyRuns(
  items: Items,
  namespace: string,
  { category, now, order = 'newest' }: HistorySelector,
  page: Page<number>,
): Promise<HistoryRow[]> {
  const selector: ItemSelector = { kind: category, liveAt: now, by: 'position', newest: order === 'newest' };
  return (await items.items(namespace, selector, afterPosition(page))).map((item) => {
    const { name, surface, actor, inputs, outcome, tookMs } = bodyOf(item) as HistoryDraft;
    const row = { id: item.position, category, name, surface, actor, inputs, outcome };
    return { ...row, at: item.at, tookMs, expiresAt: item.expiresAt! };
  });
}

/** Adds runs. The newest `keep` unexpired runs of each category remain. */
export function historyChanges(rows: readonly HistoryDraft[], keep: number): ItemChange[] {
  const now = Math.max(0, ...rows.map(({ at }) => at));
  return [
    ...rows.map(({ category, at, expiresAt, ...body }): ItemChange => ({
      put: { kind: category, key: null, at, expiresAt, body },
    })),
    ...[...new Set(rows.map(({ category }) => category))].map((of): ItemChange => ({
      of,
      keepNewest: keep,
      by: 'position',
    })),
    { forgetExpired: now },
  ];
}

// ── Receipts ─────────────────────────────────────────────────────────────────────────────────────

function receiptOf(item: StoredItem): StoredReceipt {
  // One receipt that is not as it was written must not keep the others from being read.
  const body = unlessDamaged(() => bodyOf(item) as Json);
  return { id: item.key, kind: item.type!, at: item.at, hash: item.ref!, body };
}

/** Newest first, ties by id in descending order. */
export async function storedReceipts(
  items: Items,
  namespace: string,
  { kind: type, hash: ref, record: mentions, since }: ReceiptFilter,
  { after, limit }: Page<ReceiptCursor>,
): Promise<StoredReceipt[]> {
  const selector: ItemSelector = {
    kind: 'receipt',
    since,
    ...(type !== undefined && { type }),
    ...(ref !== undefined && { ref }),
    ...(mentions !== undefined && { mentions }),
    by: 'at',
    newest: true,
  };
  const cursor = after === null ? null : { at: after.at, key: after.id };
  return (await items.items(namespace, selector, { after: cursor, limit })).map(receiptOf);
}

export async function storedReceipt(
  items: Items,
  namespace: string,
  id: string,
): Promise<StoredReceipt | null> {
  const item = await itemWithKey(items, namespace, { kind: 'receipt', key: id });
  return item === undefined ? null : receiptOf(item);
}

/** Replaces the receipt with the same id. */
export function receiptPut({ id, kind, at, hash, body }: StoredReceipt): ItemChange {
  return { put: { kind: 'receipt', key: id, at, type: kind, ref: hash, body } };
}

/** The body of a receipt that the operator has marked has this text. Such a receipt is kept, however old it is. */
export const MARKED_RECEIPT = '"verdict":"';

/** Removes the receipts made before this time that nobody has marked. A call that removes nothing does not wait for other writers. */
export async function removeReceiptsBefore(
  records: Items & { commit(namespace: string, batch: CommitBatch): Promise<number[]> },
  namespace: string,
  time: Timestamp,
): Promise<void> {
  const [of, except] = ['receipt', MARKED_RECEIPT] as const;
  const [oldest] = await records.items(namespace, { kind: of, except, by: 'at' }, { after: null, limit: 1 });
  if (oldest !== undefined && oldest.at < time)
    await records.commit(namespace, { items: [{ of, forgetBefore: time, except }] });
}

// ── Inbox ────────────────────────────────────────────────────────────────────────────────────────

/** A change of an agent that the operator has neither kept nor undone. */
export interface UnseenChange {
  /** The number of its entry in the audit log. */
  readonly entry: number;
  readonly at: Timestamp;
  readonly actor: string;
  readonly surface: string;
  readonly session: string | null;
  readonly action: string;
  readonly subject: string | null;
}

/** All of them, the last one first. */
export async function unseenChanges(items: Items, namespace: string): Promise<UnseenChange[]> {
  const found = await items.items(namespace, { kind: 'unseen', by: 'position', newest: true }, ALL_ITEMS);
  return found
    .map((item) => ({ entry: Number(item.key), at: item.at, subject: item.ref, ...(bodyOf(item) as Unseen) }))
    .sort((a, b) => b.entry - a.entry);
}

type Unseen = Pick<UnseenChange, 'actor' | 'surface' | 'session' | 'action'>;

export function unseenItem(entry: AuditEntry): ItemDraft {
  const { seq, at, actor, surface, session = null, action, subject } = entry;
  const body: Unseen = { actor, surface, session, action };
  return { kind: 'unseen', key: String(seq), at, ref: subject, body: { ...body } };
}

export function unseenRemoval(entry: number): ItemChange {
  return { remove: { kind: 'unseen', key: String(entry) } };
}

// ── Tokens ───────────────────────────────────────────────────────────────────────────────────────

/** All tokens, revoked and expired ones too, oldest first, ties by id; with a hash, the one that has it. */
export async function storedTokens(items: Items, namespace: string, hash?: string): Promise<StoredToken[]> {
  const selector: ItemSelector = { kind: 'token', ...(hash !== undefined && { ref: hash }), by: 'at' };
  return (await items.items(namespace, selector, ALL_ITEMS)).map((item) => {
    const { subject, name, scopes, expiresAt, revokedAt, csrfHash, usedAt } = bodyOf(item) as StoredToken;
    const kind = (item.type ?? 'token') as TokenKind;
    const fields = { subject, name, scopes, expiresAt, revokedAt, csrfHash, usedAt };
    return { kind, id: item.key, hash: item.ref!, createdAt: item.at, ...fields };
  });
}

/** A code that was removed could not refuse a second attempt to use it. */
const TOKEN_PURGE_DELAY_MS = 86_400_000;

/** A taken id or hash is a `conflict`. A purge removes codes and sessions that have expired. */
export function tokenPut({ kind, id, hash, createdAt, ...token }: StoredToken): ItemChange {
  const body = { ...token, scopes: [...token.scopes] };
  const item = { kind: 'token', key: id, at: createdAt, ref: hash, body } as const;
  const isLasting = kind === 'token';
  return {
    put: isLasting ? item : { ...item, type: kind, expiresAt: token.expiresAt! + TOKEN_PURGE_DELAY_MS },
    ifExists: 'fail',
  };
}

/** Says when a session was used. */
export function tokenUse(id: string, usedAt: Timestamp): ItemChange {
  return { change: { kind: 'token', key: id }, set: { usedAt } };
}

/** A token that is revoked already is a `conflict`. */
export function tokenRevocation(id: string, revokedAt: Timestamp): ItemChange {
  return { change: { kind: 'token', key: id }, set: { revokedAt }, expected: { revokedAt: null } };
}

/** Where the nodes of a graph are drawn. Derived: `resetDerived` removes it. */
export interface StoredLayout {
  /** SHA-256 of the nodes and edges, and of the rules. */
  readonly graph: string;
  readonly ids: readonly string[];
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** The last layout of what an audience sees; `null` if there is none, or if it is damaged. */
export async function storedLayout(
  items: Items,
  namespace: string,
  audience: string,
): Promise<StoredLayout | null> {
  const item = await itemWithKey(items, namespace, { kind: 'graph_layout', key: audience });
  if (item === undefined) return null;
  const body = unlessDamaged(() => bodyOf(item) as Omit<StoredLayout, 'graph'>);
  return body === null ? null : { graph: item.ref!, ...body };
}

const MAX_LAYOUTS = 8;

/** Replaces the layout of what the audience sees. The layouts of few audiences remain. */
export function layoutChanges(audience: string, at: Timestamp, layout: StoredLayout): ItemChange[] {
  const { graph, ids, x, y } = layout;
  const of = 'graph_layout';
  return [
    { put: { kind: of, key: audience, at, ref: graph, body: { ids: [...ids], x: [...x], y: [...y] } } },
    { of, keepNewest: MAX_LAYOUTS, by: 'at' },
  ];
}

export const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;
const MAX_RECENT_RUNS = 30;

const INITIAL_STATE = {
  root: null,
  hasConversations: false,
  readAt: null,
  settings: null,
  triedAt: null,
  tookMs: null,
  nextAt: null,
  refreshes: 0,
  consecutiveFailures: 0,
  totalFailures: 0,
  recentRuns: [],
  error: null,
  problems: [],
  consecutiveEmpty: 0,
  paused: false,
  approval: null,
  approvedAt: null,
  approvedBy: null,
  hits: 0,
  hitAt: null,
} satisfies SourceState;

/** The states of all sources, by name. */
export async function sourceStates(items: Items, namespace: string): Promise<Map<string, SourceState>> {
  const found = await items.items(namespace, { kind: 'source_state', by: 'key' }, ALL_ITEMS);
  // Earlier versions wrote states without some of the fields.
  return new Map(
    found.map((item) => [item.key, { ...INITIAL_STATE, ...(bodyOf(item) as Partial<SourceState>) }]),
  );
}

/**
 * Changes the state of a source, or creates it; `null` removes it. Lists of problems and runs, and long problems are truncated.
 * @throws LociError `invalid_input` for a time or a number that is not whole
 */
export function sourceStateChange(source: string, change: Partial<SourceState> | null): ItemChange {
  const id = { kind: 'source_state', key: source } as const;
  if (change === null) return { remove: id };
  const { problems, recentRuns, ...rest } = change;
  assertSafeIntegers(
    Object.fromEntries(
      Object.entries(rest).filter((each): each is [string, number] => typeof each[1] === 'number'),
    ),
  );
  const kept = problems?.slice(0, MAX_PROBLEMS).map((each) => each.slice(0, MAX_PROBLEM_LENGTH));
  return {
    change: id,
    set: {
      ...rest,
      ...(kept !== undefined && { problems: kept }),
      ...(recentRuns !== undefined && {
        recentRuns: recentRuns.slice(-MAX_RECENT_RUNS).map((run) => ({ ...run })),
      }),
    },
    initial: INITIAL_STATE,
  };
}

/** A file of a source that is read again only when it has changed. */
export interface SourceFile {
  /** Its path below the folder of the source. */
  readonly path: string;
  /** Of its size and time. */
  readonly revision: string;
  /** What could not be read of it. */
  readonly problems: readonly string[];
}

/** The files of a source that were read, by path. */
export async function sourceFiles(
  items: Items,
  namespace: string,
  source: string,
): Promise<Map<string, SourceFile>> {
  const selector = { kind: 'source_file', ref: source, by: 'key' } as const;
  const found = await items.items(namespace, selector, ALL_ITEMS);
  const files = found.flatMap((item) => unlessDamaged(() => bodyOf(item) as SourceFile) ?? []);
  return new Map(files.map((file) => [file.path, file]));
}

export function sourceFilePut(
  source: string,
  at: Timestamp,
  { path, revision, problems }: SourceFile,
): ItemChange {
  const body = { path, revision, problems: problems.slice(0, MAX_PROBLEMS) };
  return { put: { kind: 'source_file', key: sourceFileKey(source, path), at, ref: source, body } };
}

export function sourceFileRemoval(source: string, path: string): ItemChange {
  return { remove: { kind: 'source_file', key: sourceFileKey(source, path) } };
}

/** A path may be longer than a key of an index. */
function sourceFileKey(source: string, path: string): string {
  return shortHash(joined(source, path));
}

/** Adds search hits to the states of sources. A source without a state is skipped. */
export function hitChanges(bySource: ReadonlyMap<string, number>, at: Timestamp): ItemChange[] {
  return [...bySource].map(([source, hits]) => ({
    change: { kind: 'source_state', key: source },
    set: { hitAt: at },
    add: { hits },
  }));
}
