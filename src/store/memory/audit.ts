import { LociError } from '../../core/errors.ts';
import { uuidv7 } from '../../core/ids.ts';
import {
  brokenLink,
  CHAIN_START,
  chained,
  diffText,
  isSameEntry,
  notOurs,
  type AuditChain,
  type AuditCursor,
  type AuditDraft,
  type AuditEntry,
  type AuditFilter,
} from '../audit.ts';
import type { Page } from '../page.ts';
import { byCodePoint, type Namespace } from './state.ts';

export function appendAudit(namespace: Namespace, drafts: readonly AuditDraft[]): void {
  for (const draft of drafts) {
    namespace.ownChain ??= uuidv7(draft.at);
    const chain = namespace.audit.get(namespace.ownChain) ?? [];
    const entry = chained(structuredClone(draft), namespace.ownChain, chain.length, headOf(chain));
    namespace.audit.set(namespace.ownChain, [...chain, entry]);
  }
}

function headOf(chain: readonly AuditEntry[]): string {
  return chain.at(-1)?.hash ?? CHAIN_START;
}

export function eraseDiffs(namespace: Namespace, subject: string): void {
  for (const [chain, entries] of namespace.audit) {
    const erased = entries.map((entry) => (entry.subject === subject ? { ...entry, diff: null } : entry));
    namespace.audit.set(chain, erased);
  }
}

export function auditEntries(
  namespace: Namespace,
  filter: AuditFilter,
  { after, limit }: Page<AuditCursor>,
): AuditEntry[] {
  return [...namespace.audit.values()]
    .flat()
    .filter((entry) => admits(entry, filter) && (after === null || newestFirst(after, entry) < 0))
    .sort(newestFirst)
    .slice(0, limit)
    .map((entry) => structuredClone(entry));
}

function admits(entry: AuditEntry, { subject, action, actor, surface, from, until }: AuditFilter): boolean {
  return (
    (subject === undefined || entry.subject === subject) &&
    (action === undefined || entry.action === action) &&
    (actor === undefined || entry.actor === actor) &&
    (surface === undefined || entry.surface === surface) &&
    (from === undefined || entry.at >= from) &&
    (until === undefined || entry.at < until)
  );
}

function newestFirst(a: AuditCursor, b: AuditCursor): number {
  return b.at - a.at || byCodePoint(b.chain, a.chain) || b.seq - a.seq;
}

export function auditChain(
  namespace: Namespace,
  chain: string,
  { after, limit }: Page<number>,
): AuditEntry[] {
  const entries = namespace.audit.get(chain) ?? [];
  return entries
    .filter(({ seq }) => seq > (after ?? 0))
    .slice(0, limit)
    .map((entry) => structuredClone(entry));
}

export function auditChains(namespace: Namespace): AuditChain[] {
  return [...namespace.audit]
    .map(([chain, { length }]) => ({ chain, own: chain === namespace.ownChain, length }))
    .sort((a, b) => Number(b.own) - Number(a.own) || byCodePoint(a.chain, b.chain));
}

export function importAudit(namespace: Namespace, entries: readonly AuditEntry[]): number {
  let added = 0;
  for (const entry of entries) {
    const chain = namespace.audit.get(entry.chain) ?? [];
    const held = chain[entry.seq - 1];
    if (held === undefined) {
      if (entry.chain === namespace.ownChain) throw notOurs(entry);
      const broken = brokenLink(entry, diffText(entry.diff), chain.length, headOf(chain));
      if (broken !== null) throw new LociError('invalid_input', `the audit chain ${entry.chain}: ${broken}`);
      namespace.audit.set(entry.chain, [...chain, structuredClone(entry)]);
      added++;
    } else if (!isSameEntry(held, entry)) {
      throw new LociError(
        'conflict',
        `entry ${String(entry.seq)} of the audit chain ${entry.chain} is another one here`,
      );
    }
  }
  return added;
}
