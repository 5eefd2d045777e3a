import { recordNumber } from '../../core/ids.ts';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { DAY_MS } from '../../core/time/whole-day.ts';
import type { LociRecord } from '../../core/types.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import type { EngineContext } from '../context.ts';
import { isoTime } from '../fields/times.ts';
import { sourceOrigins } from '../reading/configured/source-origin.ts';
import { sourcesHiddenFrom } from '../reading/configured/source-policies.ts';
import { vaultName, vaultsOfNamespace } from '../reading/configured/vault-names.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { describedFields, descriptionOf } from '../records/get.ts';
import { citationsOf, wholeCitations } from '../shared/citations.ts';
import { expire } from '../shared/retention.ts';
import { citationField } from './record-selection.ts';

export const recordShowInput = z.strictObject({
  citation: citationField(),
  passages: z.boolean().exactOptional().describe('Say in which passages it is searched.'),
});

const line = () => z.number().int().min(1);

export const recordShowOutput = z.strictObject({
  id: z.number().int().positive(),
  uuid: z.string(),
  citation: z.string().describe('What `get` reads.'),
  title: z.string(),
  front_matter: z.string().nullable().describe('The front matter as it is written, without its fences.'),
  properties: z
    .record(z.string(), z.json())
    .describe('The properties of the front matter that have no field of their own.'),
  aliases: z.array(z.string()),
  text: z.string().describe('The text after the front matter.'),
  lines: z
    .strictObject({ from: line(), to: line() })
    .nullable()
    .describe('The lines of the record that the citation names, by their numbers or a heading.'),
  first_line: line().describe('The line of the record with which `text` begins.'),
  ...describedFields(),
  deleted_at: z.iso.datetime().nullable().describe('Only the owner sees deleted records.'),
  purged_after: z.iso.datetime().nullable().describe('Until then `undelete` can restore it.'),
  changed_by: z
    .enum(['update', 'fact-store', 'file', 'source'])
    .describe('What changes it: an operation, its file in the vault, or the program that it comes from.'),
  file: z.string().nullable().describe('For the owner: where the file of a note is.'),
  obsidian: z.string().nullable().describe('For the owner: the address that opens the note in Obsidian.'),
  links: z
    .array(
      z.strictObject({
        target: z.string(),
        citation: z.string().nullable(),
        id: z.number().int().nullable(),
      }),
    )
    .describe('The links of a note as they are written, and what they mean; null if there is no such note.'),
  passages: z
    .array(z.strictObject({ from: line(), to: line(), headings: z.array(z.string()), citation: z.string() }))
    .exactOptional()
    .describe('The lines of the record that each passage has, from 1, inclusive.'),
});
export type RecordShowOutput = z.infer<typeof recordShowOutput>;

/** All that a page about a record shows at once. @throws LociError `not_found`, `ambiguous` */
export async function showRecord(
  context: EngineContext,
  { citation, passages = false }: z.infer<typeof recordShowInput>,
): Promise<RecordShowOutput> {
  await expire(context);
  const deleted = await deletedRecord(context, citation);
  const { record, lines } =
    deleted === null ? await visibleRecord(context, citation) : { record: deleted, lines: null };
  const [[from = null], [cited], links, place] = await Promise.all([
    sourceOrigins(context, [record]),
    wholeCitations(context, [record]),
    linksOf(context, record),
    placeOf(context, record),
  ]);
  const { deletedAt, expiresAt } = record;
  const purgedAt = deletedAt === null ? null : deletedAt + context.config.retention.purgeAfterDays * DAY_MS;
  return {
    id: record.id,
    uuid: record.uuid,
    citation: cited!,
    title: record.title,
    ...textOf(record),
    lines,
    ...descriptionOf(record, from, context.now()),
    deleted_at: deletedAt === null ? null : isoTime(deletedAt),
    purged_after: purgedAt === null ? null : isoTime(Math.min(purgedAt, expiresAt ?? Infinity)),
    changed_by: CHANGED_BY[record.origin],
    ...place,
    links,
    ...(passages && { passages: await passagesOf(context, record) }),
  };
}

const CHANGED_BY: Readonly<Record<LociRecord['origin'], RecordShowOutput['changed_by']>> = {
  memory: 'update',
  fact: 'fact-store',
  vault: 'file',
  source: 'source',
  audit: 'source',
};

/** A record that the caller may see. @throws LociError `not_found`, `ambiguous` */
export async function visibleRecord(
  context: EngineContext,
  citation: string,
): ReturnType<typeof resolveCitation> {
  return resolveCitation(context, citation, await sourcesHiddenFrom(context));
}

/** A deleted record that the owner asks for by its number. */
async function deletedRecord(
  { store, namespace, caller, now }: EngineContext,
  citation: string,
): Promise<LociRecord | null> {
  const id = recordNumber(citation);
  if (id === null || caller.trust !== 'operator') return null;
  const [record] = await store.records.get(namespace, [id], 'any');
  if (record === undefined || record.deletedAt === null) return null;
  return record.expiresAt === null || record.expiresAt > now() ? record : null;
}

function textOf({
  content,
  origin,
  metadata,
}: LociRecord): Pick<RecordShowOutput, 'front_matter' | 'properties' | 'aliases' | 'text' | 'first_line'> {
  const { aliases, frontMatter } = metadata;
  const span = origin === 'vault' ? frontMatterSpan(content) : null;
  const bodyStart = span?.bodyStart ?? 0;
  return {
    front_matter: span === null ? null : content.slice(span.yamlStart, span.yamlEnd),
    properties: isObject(frontMatter) ? frontMatter : {},
    aliases: Array.isArray(aliases) ? aliases.filter((each) => typeof each === 'string') : [],
    text: content.slice(bodyStart),
    first_line: content.slice(0, bodyStart).split('\n').length,
  };
}

function isObject(value: LociRecord['metadata'][string] | undefined): value is LociRecord['metadata'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The owner alone learns where things are on this machine. */
async function placeOf(
  context: EngineContext,
  { origin, source, key }: LociRecord,
): Promise<Pick<RecordShowOutput, 'file' | 'obsidian'>> {
  const vault = vaultsOfNamespace(context).find((each) => vaultName(each) === source);
  const isKnown = origin === 'vault' && key !== null && vault !== undefined;
  if (!isKnown || context.caller.trust !== 'operator') return { file: null, obsidian: null };
  const file = path.join(vault.path, key);
  const folder = await stat(path.join(vault.path, '.obsidian')).catch(() => null);
  const isObsidian = folder?.isDirectory() === true;
  return { file, obsidian: isObsidian ? `obsidian://open?path=${encodeURIComponent(file)}` : null };
}

/** A vault stores fewer links of one note. */
const MAX_LINKS = 5000;

async function linksOf(context: EngineContext, { id, key }: LociRecord): Promise<RecordShowOutput['links']> {
  if (key === null) return [];
  const { store, namespace, now } = context;
  const links = await store.records.links(namespace, { from: [id] }, { after: null, limit: MAX_LINKS });
  const ids = [...new Set(links.flatMap(({ targetRecord }) => targetRecord ?? []))];
  const targets = await store.records.get(namespace, ids, { liveAt: now() });
  const citations = await wholeCitations(context, targets);
  const byId = new Map(targets.map((target, i) => [target.id, citations[i]!]));
  const byTarget = new Map(links.map((link) => [link.target, link.targetRecord]));
  return [...byTarget].map(([target, record]) => {
    const citation = byId.get(record ?? 0) ?? null;
    return { target, citation, id: citation === null ? null : record };
  });
}

async function passagesOf(
  context: EngineContext,
  record: LociRecord,
): Promise<NonNullable<RecordShowOutput['passages']>> {
  const { store, namespace } = context;
  const passages = (await store.records.passagesOf(namespace, [record.id])).get(record.id) ?? [];
  const citations = await citationsOf(
    context,
    passages.map(({ startLine, endLine }) => ({ record, startLine, endLine })),
  );
  return passages.map(({ startLine, endLine, headings }, i) => ({
    from: startLine,
    to: endLine,
    headings: [...headings],
    citation: citations[i]!,
  }));
}
