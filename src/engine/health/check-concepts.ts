import { isDeepStrictEqual } from 'node:util';
import { formatCount } from '../../core/text/format-count.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { isConceptsCurrent, mentionsOfRecords } from '../../graph/concepts/derive-concepts.ts';
import { namesOfRecords } from '../../graph/concepts/record-names.ts';
import { MAX_MENTIONING_RECORDS, type RecordConcepts } from '../../store/concept-model.ts';
import type { LociRecord } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { recordName } from '../reading/index-vaults.ts';
import type { Finding } from './check.ts';
import { BEHIND, nameRecords, recordPages } from './check-graph.ts';

/**
 * Derives the names and mentions of every record again, and compares them with those in the store. Mentions of a name that more
 * than `MAX_MENTIONING_RECORDS` records mention may differ: no edge follows from them.
 * @throws LociError `aborted`
 */
export async function checkConcepts(context: EngineContext, options: ProgressOptions): Promise<Finding> {
  const { store, namespace, config } = context;
  if (!config.graph.enabled) return { result: 'ok', detail: 'switched off' };
  if (!isConceptsCurrent(await store.graph.state(namespace))) return BEHIND;
  const wrong: string[] = [];
  let count = 0;
  for await (const records of recordPages(context, options, 'concepts')) {
    wrong.push(...(await differing(context, records)));
    count += records.length;
  }
  if (wrong.length > 0)
    return { result: 'failed', detail: `names or mentions differ in ${nameRecords(wrong)}` };
  return { result: 'ok', detail: `${formatCount(count, 'record')}, all names and mentions correct` };
}

async function differing(
  { store, namespace, now, thread }: EngineContext,
  records: readonly LociRecord[],
): Promise<string[]> {
  const ids = records.map(({ id }) => id);
  const options = { store, namespace, thread, now: now() };
  const [stored, names] = await Promise.all([
    store.graph.recordConcepts(namespace, ids),
    namesOfRecords(options, records),
  ]);
  const byRecord = new Map(records.map(({ id }, i) => [id, names[i]!]));
  const mentions = await mentionsOfRecords(options, records);
  const wrong: string[] = [];
  for (const record of records) {
    const built = { ...byRecord.get(record.id)!, mentions: mentions.get(record.id) ?? [] };
    const found = stored.get(record.id);
    if (found !== undefined && isDeepStrictEqual(sorted(found), sorted(built))) continue;
    const keys = new Set([...built.mentions, ...(found?.mentions ?? [])].map(({ key }) => key));
    const request = { project: record.project, keys: [], counted: [...keys] };
    const frequencies = await store.graph.namings(namespace, request);
    const rare = (concepts: RecordConcepts): RecordConcepts => ({
      ...concepts,
      mentions: concepts.mentions.filter(
        ({ key }) => (frequencies.get(key)?.records ?? 0) <= MAX_MENTIONING_RECORDS,
      ),
    });
    if (found === undefined || !isDeepStrictEqual(sorted(rare(found)), sorted(rare(built))))
      wrong.push(recordName(record));
  }
  return wrong;
}

function sorted({ project, note, names, mentions }: RecordConcepts): RecordConcepts {
  const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
    a.key < b.key ? -1 : 1;
  return { project, note, names: names.toSorted(byKey), mentions: mentions.toSorted(byKey) };
}
