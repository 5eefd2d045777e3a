/** The namespace of what belongs to no caller: tokens, generations, store-wide leases, statistics. */
export const ADMIN_NAMESPACE = '';
export type AdminNamespace = typeof ADMIN_NAMESPACE;

/** The actions of the entries about namespaces in the log of the administrative namespace. */
export const NAMESPACE_REMOVAL = 'namespace-delete';
export const NAMESPACE_READMISSION = 'namespace-readmit';

const PREFIX = 'namespace:';

/** The subject of these entries. */
export function removalSubject(namespace: string): string {
  return PREFIX + namespace;
}

/** The namespace that such an entry is about. */
export function removedNamespace(subject: string | null): string {
  return (subject ?? '').slice(PREFIX.length);
}
