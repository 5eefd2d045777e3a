import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import type { StartupEntry } from '../../../store/admin-model.ts';
import { startupEntries, startupPut } from '../../../store/items/kinds.ts';
import { screenTexts } from '../../records/screen.ts';
import { whyTooLong } from '../../startup/budget.ts';
import { assertValidEntry, startupAuditDraft } from '../../startup/startup.ts';
import { sliceFrom, type ImportJob, type ItemType, type Located } from './item-type.ts';
import { lineFormat, time, timeOrNull } from './line-format.ts';

const schema = z.strictObject({
  agent: z.string().max(128),
  key: z.string(),
  priority: z.number().int().min(0).max(9),
  place: z.number().int().min(1).exactOptional(),
  reinforce: z.boolean(),
  created_at: time,
  updated_at: time,
  deleted_at: timeOrNull,
  content: z.string(),
});

export const startup: ItemType<StartupEntry> = {
  count: 'startup',
  // Only an entry that was moved has a place.
  format: lineFormat(schema, schema.omit({ place: true }).shape),
  read: async ({ store, namespace }, position) =>
    sliceFrom(await startupEntries(store.records, namespace), position),
  async screen(context, entry) {
    if (context.caller.trust !== 'operator')
      throw new LociError('forbidden', 'it is a startup entry: only the operator may import those');
    const { agent, key, content } = entry;
    assertValidEntry({ agent, key, content });
    const { texts, masked } = await screenTexts(context, { agent, key, content });
    return { value: { ...entry, ...texts }, masked };
  },
  importer: (job) => ({
    batchSize: 1,
    async put(batch) {
      for (const each of batch) await putStartup(job, each);
    },
  }),
};

/** Imports an entry that was screened. */
export async function putStartup(
  { context, options, report }: ImportJob,
  { location, value: entry }: Located<StartupEntry>,
): Promise<void> {
  const { store, namespace, config } = context;
  const name = `the startup entry ${JSON.stringify(entry.key)}`;
  const entries = await startupEntries(store.records, namespace);
  const existing = entries.find(({ agent, key }) => agent === entry.agent && key === entry.key);
  const tooLong = entry.deletedAt === null ? whyTooLong(config.startup, entry) : null;
  if (tooLong !== null) report.addProblem(location, `${name} is stored, but ${tooLong}`);
  if (isDeepStrictEqual(existing, entry)) {
    report.startup.unchanged++;
    return;
  }
  if (existing !== undefined && !options.overwrite && entry.updatedAt <= existing.updatedAt) {
    report.startup.kept++;
    report.addConflict(location, `${name} is not older here`);
    return;
  }
  if (!options.dry_run)
    await store.records.commit(namespace, {
      items: [startupPut(entry)],
      audit: [startupAuditDraft(context, 'import', existing, entry)],
    });
  const isRemoved = entry.deletedAt !== null && existing?.deletedAt === null;
  const change = existing === undefined ? 'added' : isRemoved ? 'removed' : 'updated';
  report.startup[change]++;
  if (options.dry_run) report.addChange({ location, change, title: `startup entry ${entry.key}` });
}
