import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import type { GoldenQuery } from '../../../store/item-model.ts';
import { goldenQueryPut, storedGoldenQueries } from '../../../store/items/kinds.ts';
import { allGoldenQueries, goldenAuditDraft } from '../../golden/golden-queries.ts';
import { screenTexts } from '../../records/screen.ts';
import { assertShort, readPage, type ItemType } from './item-type.ts';
import { lineFormat, time, uuid } from './line-format.ts';

/** More than a query has results. */
const MAX_RESULTS = 1000;

const result = z.strictObject({
  record: uuid,
  citation: z.string(),
  rank: z.number().int().positive().nullable(),
});
const schema = z.strictObject({
  id: uuid,
  query: z.string(),
  project: z.string().nullable(),
  expected: z.array(result).max(MAX_RESULTS),
  at: time,
  actor: z.string(),
});

export const goldenQuery: ItemType<GoldenQuery> = {
  count: 'golden_queries',
  format: lineFormat(schema, schema.shape),
  async read({ store, namespace }, position) {
    const { items, next } = await readPage(
      (page) => storedGoldenQueries(store.records, namespace, page),
      ({ sequence }) => sequence,
      position,
    );
    return { items: items.map(({ sequence: _, ...each }) => each), next };
  },
  reserved: 'it is a golden query',
  async screen(context, imported) {
    const { query, actor, project, expected } = imported;
    assertShort('actor', actor);
    assertShort('project', project);
    for (const { citation } of expected) assertShort('citation', citation);
    // One that was removed has neither a text nor expected records.
    if (expected.length > 0 && query.trim() === '')
      throw new LociError('invalid_input', 'the text of the golden query is blank');
    const { texts, masked } = await screenTexts(context, { content: query });
    return { value: { ...imported, query: texts.content }, masked };
  },
  importer({ context, options, report }) {
    let byId: Map<string, GoldenQuery> | null = null;
    return {
      batchSize: 1,
      /** The one that was recorded later wins. */
      async put(batch) {
        byId ??= new Map(
          (await allGoldenQueries(context)).map(({ sequence: _, ...each }) => [each.id, each]),
        );
        for (const { value } of batch) {
          const existing = byId.get(value.id);
          if (existing !== undefined && !options.overwrite && existing.at >= value.at) continue;
          if (isDeepStrictEqual(value, existing)) continue;
          byId.set(value.id, value);
          report.auxiliary.golden_queries++;
          if (options.dry_run) continue;
          await context.store.records.commit(context.namespace, {
            items: [goldenQueryPut(value)],
            audit: [goldenAuditDraft(context, 'import', existing, value)],
          });
        }
      },
    };
  },
};
