import type { Origin } from '../core/types.ts';

export interface NamespaceStats {
  readonly namespace: string;
  readonly records: number;
  readonly deleted: number;
  readonly passages: number;
  readonly terms: number;
  readonly vectors: number;
  readonly byOrigin: Readonly<Partial<Record<Origin, number>>>;
  readonly bySource: Readonly<Record<string, number>>;
}

export interface StoreStats {
  /** Bytes on disk, journals included; 0 for a store in memory. */
  readonly bytes: number;
  readonly schemaVersion: number;
  readonly namespaces: readonly NamespaceStats[];
}
