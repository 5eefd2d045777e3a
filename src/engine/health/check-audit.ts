import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { Finding } from './check.ts';
import type { EngineContext } from '../context.ts';

/** Verifies the audit log of the caller's namespace; for the operator, those of all namespaces. */
export async function checkAudit(context: EngineContext): Promise<Finding> {
  const { store, namespace: ours, caller } = context;
  const otherNamespaces = caller.trust === 'operator' ? await store.admin.namespaces(ADMIN_NAMESPACE) : [];
  const faults: string[] = [];
  let entries = 0;
  for (const namespace of new Set([ours, ...otherNamespaces])) {
    const namespaceFaults = await findFaults(context, namespace);
    faults.push(...namespaceFaults.map((what) => (namespace === ours ? what : `${namespace}: ${what}`)));
    for (const { own, length } of await store.admin.auditChains(namespace)) entries += own ? length : 0;
  }
  if (faults.length > 0) return { result: 'failed', detail: faults.join('\n') };
  return {
    result: 'ok',
    detail: `${formatCount(entries, 'entry', 'entries')}, none missing or changed`,
  };
}

async function findFaults({ store, now }: EngineContext, namespace: string): Promise<string[]> {
  const broken = await store.admin.verifyAudit(namespace);
  const chains = await store.admin.auditChains(namespace);
  if (chains.some(({ own }) => own)) return broken;
  // The first write of a namespace begins its log, so written records without a log mean that the log was removed.
  const written = { now: now(), origins: ['memory' as const, 'fact' as const] };
  const [count] = await store.records.count(namespace, [written]);
  if (count === 0) return broken;
  return [...broken, 'there are written records but no audit log'];
}
