import { LociError } from '../../core/errors.ts';
import { assertRemovable, assertVectorDimensions } from '../rules/validation.ts';
import type {
  ChangedGeneration,
  Generation,
  GenerationChange,
  GenerationSpec,
  QueryVector,
} from '../search-model.ts';
import { objectsOf } from './rows.ts';
import type { Sql } from './sql.ts';
import type { VectorIndex } from './vector-index.ts';

export async function generations(sql: Sql): Promise<Generation[]> {
  const rows = await sql.all('SELECT id, provider, model, dimensions, active FROM generation ORDER BY id');
  return objectsOf<Generation>(rows.map((row) => ({ ...row, active: row['active'] === 1 })));
}

/** @throws LociError `not_found` */
export async function generationById(sql: Sql, id: number): Promise<Generation> {
  return requireGeneration(await generations(sql), id);
}

/** @throws LociError `embedding_mismatch`, `not_found` */
export async function assertQueryVectors(sql: Sql, vectors: readonly QueryVector[]): Promise<void> {
  if (vectors.length === 0) return;
  const all = await generations(sql);
  for (const { generation, vector } of vectors)
    assertVectorDimensions(requireGeneration(all, generation), vector);
}

function requireGeneration(all: readonly Generation[], id: number): Generation {
  const found = all.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new LociError('not_found', `vector generation ${String(id)} does not exist`, {
    hint: '`loci embed prune` may have removed it. `loci embed backfill` makes the vectors of the configured model.',
  });
}

export async function setGeneration(
  sql: Sql,
  vectors: VectorIndex,
  change: GenerationChange,
): Promise<ChangedGeneration> {
  return sql.transaction(async () => {
    if ('add' in change) return { ...(await addGeneration(sql, vectors, change.add)), removedVectors: 0 };
    const found = await generationById(sql, 'activate' in change ? change.activate : change.remove);
    const { id } = found;
    if ('activate' in change) {
      await sql.run('UPDATE generation SET active = 0 WHERE active = 1');
      await sql.run('UPDATE generation SET active = 1 WHERE id = :id', { id });
      return { ...found, active: true, removedVectors: 0 };
    }
    assertRemovable(found);
    const removedVectors = await vectors.removeGeneration(id);
    await sql.run('DELETE FROM generation WHERE id = :id', { id });
    return { ...found, removedVectors };
  });
}

async function addGeneration(
  sql: Sql,
  vectors: VectorIndex,
  { provider, model, dimensions }: GenerationSpec,
): Promise<Generation> {
  const isNew = await sql.run(
    'INSERT INTO generation (provider, model, dimensions) VALUES (:provider, :model, :dimensions) ON CONFLICT DO NOTHING',
    { provider, model, dimensions },
  );
  const added = (await generations(sql)).find(
    (each) => each.provider === provider && each.model === model && each.dimensions === dimensions,
  );
  if (added === undefined) throw new LociError('store_failed', 'the new vector generation was not found');
  if (isNew > 0) await vectors.addGeneration(added.id, dimensions);
  return added;
}
