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
import type { VectorIndex } from './driver.ts';

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
    hint: 'Searches may use the vectors of another model now. Try again.',
  });
}

export async function setGeneration(
  sql: Sql,
  vectors: VectorIndex,
  change: GenerationChange,
): Promise<ChangedGeneration> {
  if ('add' in change) {
    const added = await sql.transaction(() => addGeneration(sql, change.add));
    return { ...added, removedVectors: 0 };
  }
  if ('index' in change) {
    const found = await generationById(sql, change.index);
    await vectors.createIndex(found);
    return { ...found, removedVectors: 0 };
  }
  return sql.transaction(async () => {
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

async function addGeneration(sql: Sql, { provider, model, dimensions }: GenerationSpec): Promise<Generation> {
  await sql.run(
    'INSERT INTO generation (provider, model, dimensions) VALUES (:provider, :model, :dimensions) ON CONFLICT DO NOTHING',
    { provider, model, dimensions },
  );
  const added = (await generations(sql)).find(
    (each) => each.provider === provider && each.model === model && each.dimensions === dimensions,
  );
  if (added === undefined) throw new LociError('store_failed', 'the new vector generation was not found');
  return added;
}
