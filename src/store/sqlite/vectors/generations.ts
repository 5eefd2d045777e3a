import { LociError } from '../../../core/errors.ts';
import type { Generation, GenerationSpec } from '../../search-model.ts';
import { assertRemovable } from '../../rules/validation.ts';
import type { Database } from '../database/database.ts';

export function generations(db: Database): Generation[] {
  return db
    .prepare('SELECT id, provider, model, dimensions, active FROM generation ORDER BY id')
    .all()
    .map((row) => ({
      id: row['id'] as number,
      provider: row['provider'] as string,
      model: row['model'] as string,
      dimensions: row['dimensions'] as number,
      active: row['active'] === 1,
    }));
}

export function addGeneration(db: Database, spec: GenerationSpec): Generation {
  return db.transaction(() => {
    const { provider, model, dimensions } = spec;
    db.prepare(
      'INSERT INTO generation (provider, model, dimensions) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ).run(provider, model, dimensions);
    const added = generations(db).find(
      (each) => each.provider === provider && each.model === model && each.dimensions === dimensions,
    );
    if (added === undefined) throw new LociError('store_failed', 'the new vector generation was not found');
    return added;
  });
}

export function activateGeneration(db: Database, id: number): void {
  db.transaction(() => {
    generationById(db, id);
    db.prepare('UPDATE generation SET active = 0 WHERE active = 1').run();
    db.prepare('UPDATE generation SET active = 1 WHERE id = ?').run(id);
  });
}

/** The new epoch makes every process drop the sign codes of the generation. */
export function removeGeneration(db: Database, id: number): number {
  return db.transaction(() => {
    assertRemovable(generationById(db, id));
    db.prepare('DELETE FROM code_chunk WHERE generation = ?').run(id);
    const { changes } = db.prepare('DELETE FROM vector WHERE generation = ?').run(id);
    db.prepare('DELETE FROM generation WHERE id = ?').run(id);
    db.prepare('UPDATE vector_epoch SET epoch = epoch + 1').run();
    return Number(changes);
  });
}

export function generationById(db: Database, id: number): Generation {
  const found = generations(db).find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new LociError('not_found', `vector generation ${String(id)} does not exist`, {
    hint: '`loci embed prune` may have removed it. `loci embed backfill` makes the vectors of the configured model.',
  });
}
