import { z } from 'zod';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineContext } from '../context.ts';

export const namespacesOutput = z.strictObject({
  namespaces: z
    .array(
      z.strictObject({
        namespace: z.string(),
        records: z.number().int().nonnegative().describe('Records, notes and documents that are found.'),
        configured: z.boolean().describe('Whether it is the namespace of the settings.'),
      }),
    )
    .describe('That of the settings, then the others by name.'),
});
export type NamespacesOutput = z.infer<typeof namespacesOutput>;

/** The namespaces that have a record, and that of the settings. */
export async function listNamespaces({ store, config, now }: EngineContext): Promise<NamespacesOutput> {
  const named = await store.admin.namespaces(ADMIN_NAMESPACE);
  const others = named.filter((name) => name !== config.namespace).sort();
  const namespaces = [config.namespace, ...others].map(async (namespace) => ({
    namespace,
    records: await store.records.count(namespace, { now: now() }),
    configured: namespace === config.namespace,
  }));
  return { namespaces: await Promise.all(namespaces) };
}
