import { sha256 } from '../../core/ids.ts';
import type { AuditEntry } from '../../store/admin-model.ts';
import { sourceStates, storedReceipts } from '../../store/items/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Closable, EngineServices } from '../context.ts';

/** What of a namespace changes. */
export const CHANGE_KINDS = [
  'records',
  'facts',
  'sources',
  'receipts',
  'startup',
  'access',
  'audit',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface ChangeListener {
  /** Called with everything that has changed since the last call. */
  onChange(kinds: readonly ChangeKind[]): void;
  /** Called when the engine is stopped. */
  onEnd(): void;
}

/** How often the store is asked, and therefore how often a listener is called at most. */
const POLL_INTERVAL_MS = 1000;
/** If there are more new entries in the audit log, everything counts as changed. */
const MAX_ENTRIES = 50;

/** Where a namespace is. Each differs after a change. */
interface Position {
  readonly lastChange: number;
  readonly entry: number;
  readonly sources: string;
  readonly receipt: string;
}

interface Watched {
  readonly listeners: Set<ChangeListener>;
  position: Position;
}

/**
 * Tells what changes in namespaces, whichever process changes it. It asks the store for the ends of its logs, once for all listeners,
 * and only while there are any.
 */
export class ChangeWatch implements Closable {
  readonly #store: Store;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(services: EngineServices) {
    this.#store = services.store;
    services.closeWithEngine(this);
  }

  /** Calls the listener after each change from now on, until the returned function is called. @throws what the store throws */
  async watch(namespace: string, listener: ChangeListener): Promise<() => void> {
    const position = await positionOf(this.#store, namespace);
    const watched = this.#watched.get(namespace) ?? { listeners: new Set(), position };
    this.#watched.set(namespace, watched);
    watched.listeners.add(listener);
    if (this.#isClosed) listener.onEnd();
    else this.#schedule();
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0) this.#watched.delete(namespace);
    };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { listeners } of this.#watched.values())
      for (const listener of [...listeners]) listener.onEnd();
    return Promise.resolve();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      void this.#poll().finally(() => {
        this.#timer = undefined;
        if (this.#watched.size > 0 && !this.#isClosed) this.#schedule();
      });
    }, POLL_INTERVAL_MS).unref();
  }

  async #poll(): Promise<void> {
    for (const [namespace, watched] of this.#watched) {
      // While the store is busy, the change is found the next time.
      const position = await positionOf(this.#store, namespace).catch(() => watched.position);
      const kinds = await changedKinds(this.#store, namespace, watched.position, position).catch(() => null);
      if (kinds === null) continue;
      watched.position = position;
      if (kinds.size === 0) continue;
      const ordered = CHANGE_KINDS.filter((kind) => kinds.has(kind));
      for (const listener of [...watched.listeners]) listener.onChange(ordered);
    }
  }
}

async function positionOf(store: Store, namespace: string): Promise<Position> {
  const [{ lastChange }, log, states, receipts] = await Promise.all([
    store.records.bounds(namespace),
    newestEntries(store, namespace, 1),
    sourceStates(store.records, namespace),
    storedReceipts(store.records, namespace, { since: 0 }, { after: null, limit: 1 }),
  ]);
  // Every search counts hits.
  const sources = [...states].map(([name, { hits: _hits, hitAt: _hitAt, ...state }]) => [name, state]);
  return {
    lastChange,
    entry: log[0]?.seq ?? 0,
    sources: sha256(JSON.stringify(sources)),
    receipt: receipts[0]?.id ?? '',
  };
}

async function newestEntries(store: Store, namespace: string, limit: number): Promise<readonly AuditEntry[]> {
  return (await store.admin.audit(namespace, { log: { after: null, limit } })).entries;
}

async function changedKinds(
  store: Store,
  namespace: string,
  before: Position,
  after: Position,
): Promise<ReadonlySet<ChangeKind>> {
  const kinds = new Set<ChangeKind>();
  if (after.lastChange !== before.lastChange) kinds.add('records');
  if (after.sources !== before.sources) kinds.add('sources');
  if (after.receipt !== before.receipt) kinds.add('receipts');
  if (after.entry === before.entry) return kinds;
  const count = after.entry - before.entry;
  if (count < 0 || count > MAX_ENTRIES) return new Set(CHANGE_KINDS);
  for (const { action } of await newestEntries(store, namespace, count))
    for (const kind of kindsOf(action)) kinds.add(kind);
  return kinds.add('audit');
}

/** What an entry of the audit log is about. */
function kindsOf(action: string): readonly ChangeKind[] {
  if (/^(?:store|forget)$/.test(action)) return ['facts'];
  if (/^(?:token|session|page)-/.test(action)) return ['access'];
  if (action.startsWith('startup-')) return ['startup'];
  // Others, such as an import or a purge, concern records of any kind.
  return /^(?:write|update|delete|undelete)$/.test(action) ? [] : ['facts', 'startup'];
}
