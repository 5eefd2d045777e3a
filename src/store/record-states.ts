import { LociError } from '../core/errors.ts';
import type { LociRecord } from '../core/types.ts';
import type { RecordImport } from './portability.ts';
import type { RecordWrite } from './store.ts';

/** What was deleted, or changed since its writer read it, is not written over. */
export function assertUnchanged(record: LociRecord, { expected }: RecordWrite): void {
  const { id, deletedAt, updatedAt } = record;
  if (deletedAt !== null) throw new LociError('not_found', `record ${String(id)} is deleted`);
  if (expected === undefined || expected === updatedAt) return;
  throw new LociError('conflict', `record ${String(id)} was changed meanwhile`);
}

/** The same for a record of another store, which may take the place of a deleted one. */
export function assertRecordState(record: LociRecord, { expected }: RecordImport): void {
  const { id, deletedAt, updatedAt } = record;
  if (expected === undefined || (expected.updatedAt === updatedAt && expected.deletedAt === deletedAt))
    return;
  throw new LociError('conflict', `record ${String(id)} was changed meanwhile`);
}
