import { z } from 'zod';
import type { ConceptChange } from '../../../store/concept-model.ts';
import { conceptChangePut, conceptChanges } from '../../../store/items/kinds.ts';
import { auditDraft } from '../../audit/audit.ts';
import { assertWithinLimits } from '../../fields/limits.ts';
import { screenTexts } from '../../records/screen.ts';
import { ITEMS_PER_WRITE, sliceFrom, type ItemType } from './item-type.ts';
import { lineFormat, time, uuid } from './line-format.ts';

/** A name of a concept, or the id of a note. */
const conceptName = z.string().min(1).max(512);
/** The command for a split adds the note of each title. */
const conceptNames = z.array(conceptName).min(1).max(200);

const common = {
  id: uuid,
  at: time,
  actor: z.string().max(512),
  surface: z.string().max(512),
  project: z.string().min(1).max(512),
};
const schema = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('merge'), into: conceptName, from: conceptNames }),
  z.strictObject({ ...common, kind: z.literal('split'), from: conceptName, names: conceptNames }),
  z.strictObject({ ...common, kind: z.literal('rename'), concept: conceptName, label: conceptName }),
  z.strictObject({ ...common, kind: z.literal('undo'), change: uuid }),
]);

export const conceptChange: ItemType<ConceptChange> = {
  count: 'concept_change',
  format: lineFormat(schema, common),
  read: async ({ store, namespace }, position) =>
    sliceFrom(await conceptChanges(store.records, namespace), position),
  reserved: 'it is a change of concepts',
  async screen(context, change) {
    if (change.kind !== 'rename') return { value: change, masked: [] };
    assertWithinLimits({ title: change.label });
    const { texts, masked } = await screenTexts(context, { title: change.label });
    return { value: { ...change, label: texts.title }, masked };
  },
  importer({ context, options, report }) {
    const { store, namespace } = context;
    let existing: Set<string> | null = null;
    return {
      batchSize: ITEMS_PER_WRITE,
      async isSkipped({ id }) {
        existing ??= new Set((await conceptChanges(store.records, namespace)).map((change) => change.id));
        return existing.has(id);
      },
      async put(batch) {
        const added = batch.flatMap(({ value }) => (existing?.has(value.id) === true ? [] : value));
        for (const { id } of added) existing?.add(id);
        report.auxiliary.concept_change += added.length;
        if (options.dry_run) return;
        const diff = { concept_changes: { added: added.map(({ id }) => id) } };
        await store.records.commit(namespace, {
          items: added.map(conceptChangePut),
          audit: [auditDraft(context, 'import', 'concept-changes', diff)],
        });
      },
    };
  },
};
