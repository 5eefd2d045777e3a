import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { Finding } from './check.ts';
import type { EngineContext } from '../context.ts';

/** The caller's log; where the operator asks, those of all namespaces. */
export async function checkAudit(context: EngineContext): Promise<Finding> {
  const { store, namespace: ours, caller } = context;
  const others = caller.trust === 'operator' ? await store.admin.namespaces(ADMIN_NAMESPACE) : [];
  const faults: string[] = [];
  let entries = 0;
  for (const namespace of new Set([ours, ...others])) {
    const found = await findFaults(context, namespace);
    faults.push(...found.map((what) => (namespace === ours ? what : `${namespace}: ${what}`)));
    for (const { length } of await store.admin.auditChains(namespace)) entries += length;
  }
  if (faults.length > 0) return { result: 'failed', detail: faults.join('\n') };
  return {
    result: 'ok',
    detail: `${formatCount(entries, 'entry', 'entries')}, none cut or changed`,
  };
}

async function findFaults({ store, now }: EngineContext, namespace: string): Promise<string[]> {
  const broken = await store.admin.verifyAudit(namespace);
  const chains = await store.admin.auditChains(namespace);
  if (chains.some(({ own }) => own)) return broken;
  // What is written begins a log with itself.
  const written = { now: now(), origins: ['memory' as const, 'fact' as const] };
  const [count] = await store.records.count(namespace, [written]);
  if (count === 0) return broken;
  return [...broken, 'there is no audit log of what was written'];
}
