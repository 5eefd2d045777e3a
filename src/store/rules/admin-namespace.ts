/** The namespace of what belongs to no caller: tokens, generations, store-wide leases, statistics. */
export const ADMIN_NAMESPACE = '';
export type AdminNamespace = typeof ADMIN_NAMESPACE;
