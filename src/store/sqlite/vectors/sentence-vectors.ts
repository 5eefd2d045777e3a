import { assertVectorDimensions } from '../../rules/validation.ts';
import type { SentenceVectors } from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { findNamespace } from '../database/namespaces.ts';
import { generationById } from './generations.ts';
import { dequantised, quantise } from './quantise.ts';

export function putSentenceVectors(
  db: Database,
  namespace: string,
  generation: number,
  sentences: SentenceVectors,
): void {
  db.transaction(() => {
    // Within the transaction, because another process may remove the generation.
    const found = generationById(db, generation);
    const ns = findNamespace(db, namespace);
    const insert = db.prepare(
      `INSERT INTO sentence_vector (vector, quantised)
       SELECT id, ? FROM vector WHERE ns = ? AND generation = ? AND hash = ? ON CONFLICT DO NOTHING`,
    );
    for (const [hash, vectors] of sentences) {
      for (const vector of vectors) assertVectorDimensions(found, vector);
      insert.run(Buffer.concat(vectors.map(quantise)), ns, generation, Buffer.from(hash, 'hex'));
    }
  });
}

export function sentenceVectors(
  db: Database,
  namespace: string,
  generation: number,
  hashes: readonly string[],
): Map<string, Float32Array[]> {
  const { dimensions } = generationById(db, generation);
  const ns = findNamespace(db, namespace);
  const size = quantise(new Float32Array(dimensions)).length;
  const select = db.prepare(
    `SELECT s.quantised FROM vector AS v JOIN sentence_vector AS s ON s.vector = v.id
     WHERE v.ns = ? AND v.generation = ? AND v.hash = ?`,
  );
  return new Map(
    hashes.flatMap((hash): [string, Float32Array[]][] => {
      const row = select.get(ns, generation, Buffer.from(hash, 'hex'));
      if (row === undefined) return [];
      const bytes = row['quantised'] as Uint8Array;
      const count = bytes.length / size;
      return [
        [
          hash,
          Array.from({ length: count }, (_, i) => dequantised(bytes.subarray(i * size, (i + 1) * size))),
        ],
      ];
    }),
  );
}
