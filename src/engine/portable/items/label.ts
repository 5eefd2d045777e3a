import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { VERDICTS, type Label } from '../../../store/item-model.ts';
import { labelPut, storedLabels } from '../../../store/items/kinds.ts';
import { EVERY_LABEL, labelAuditDraft } from '../../packs/labels.ts';
import { screenTexts } from '../../records/screen.ts';
import { assertShort, readPage, type ItemType } from './item-type.ts';
import { lineFormat, sha256Text, time, uuid } from './line-format.ts';

const schema = z.strictObject({
  receipt: uuid,
  record: uuid,
  verdict: z.enum(VERDICTS),
  query: z.string().nullable(),
  query_hash: sha256Text.nullable(),
  project: z.string().nullable(),
  at: time,
  actor: z.string(),
});

export const label: ItemType<Label> = {
  count: 'labels',
  format: lineFormat(schema, schema.shape),
  async read({ store, namespace }, position) {
    const { items, next } = await readPage(
      (page) => storedLabels(store.records, namespace, null, page),
      ({ sequence }) => sequence,
      position,
    );
    return { items: items.map(({ sequence: _, ...each }) => each), next };
  },
  reserved: 'it is a label of the operator',
  async screen(context, imported) {
    const { query, actor, project } = imported;
    assertShort('actor', actor);
    assertShort('project', project);
    const { texts, masked } = await screenTexts(context, { content: query ?? '' });
    return { value: { ...imported, query: query === null ? null : texts.content }, masked };
  },
  importer: ({ context, options, report }) => ({
    batchSize: 1,
    /** The label that was given later wins. */
    async put(batch) {
      const { store, namespace } = context;
      for (const { value } of batch) {
        const labels = await storedLabels(store.records, namespace, value.receipt, EVERY_LABEL);
        const existing = labels.find(({ record }) => record === value.record);
        if (existing !== undefined && !options.overwrite && existing.at >= value.at) continue;
        if (isDeepStrictEqual({ ...value, sequence: existing?.sequence }, existing)) continue;
        report.auxiliary.labels++;
        if (options.dry_run) continue;
        await store.records.commit(namespace, {
          items: [labelPut(value)],
          audit: [labelAuditDraft(context, 'import', existing, value)],
        });
      }
    },
  }),
};
