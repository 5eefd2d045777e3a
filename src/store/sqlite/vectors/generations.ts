import { LociError } from '../../../core/errors.ts';
import type { Generation, GenerationSpec } from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../records/rows.ts';

export function generations(db: Database): Generation[] {
  return db
    .prepare('SELECT id, provider, model, dimensions, active FROM generation ORDER BY id')
    .all()
    .map(generationOf);
}

export function addGeneration(db: Database, spec: GenerationSpec): Generation {
  return db.transaction(() => {
    const parameters = [spec.provider, spec.model, spec.dimensions];
    db.prepare(
      'INSERT INTO generation (provider, model, dimensions) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ).run(...parameters);
    const row = db
      .prepare(
        `SELECT id, provider, model, dimensions, active FROM generation
         WHERE provider = ? AND model = ? AND dimensions = ?`,
      )
      .get(...parameters);
    if (row === undefined) throw new LociError('store_failed', 'the new vector generation was not found');
    return generationOf(row);
  });
}

export function activateGeneration(db: Database, id: number): void {
  db.transaction(() => {
    generationById(db, id);
    db.prepare('UPDATE generation SET active = 0 WHERE active = 1').run();
    db.prepare('UPDATE generation SET active = 1 WHERE id = ?').run(id);
  });
}

export function generationById(db: Database, id: number): Generation {
  const row = db
    .prepare('SELECT id, provider, model, dimensions, active FROM generation WHERE id = ?')
    .get(id);
  if (row === undefined) throw new LociError('not_found', `vector generation ${String(id)} does not exist`);
  return generationOf(row);
}

function generationOf(row: Row): Generation {
  return {
    id: row['id'] as number,
    provider: row['provider'] as string,
    model: row['model'] as string,
    dimensions: row['dimensions'] as number,
    active: row['active'] === 1,
  };
}
