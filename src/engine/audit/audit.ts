import { createPatch } from 'diff';
import { isDeepStrictEqual } from 'node:util';
import { isForInbox } from '../../core/caller.ts';
import { sha256 } from '../../core/ids.ts';
import type { Json, LociRecord } from '../../core/types.ts';
import type { AuditDiff, AuditDraft } from '../../store/admin-model.ts';
import type { EngineContext } from '../context.ts';

type AuditedFields = Pick<
  LociRecord,
  | 'key'
  | 'title'
  | 'category'
  | 'recordType'
  | 'tags'
  | 'project'
  | 'metadata'
  | 'expiresAt'
  | 'trust'
  | 'content'
>;

/** The fields of a record that the log covers, except its content, by their names on every surface. */
export function auditedFields(record: AuditedFields): Readonly<Record<string, Json>> {
  const { key, title, category, recordType, tags, project, metadata, expiresAt, trust } = record;
  const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
  const fields = { key, title, category, record_type: recordType, tags: [...tags], project, metadata };
  return { ...fields, expires_at: expires, trust };
}

/** A new entry of the log with the caller as its actor. */
export function auditDraft(
  { caller, now }: EngineContext,
  action: string,
  subject: string | null,
  diff: AuditDiff | null = null,
): AuditDraft {
  const { actor, surface, session } = caller;
  return {
    at: now(),
    actor,
    surface,
    action,
    subject,
    diff,
    ...(session !== undefined && { session }),
    isUnseen: isForInbox(caller),
  };
}

/** The diff of a new record. It has only the length of the content, because the record has the content itself. */
export function newDiff(record: AuditedFields): AuditDiff {
  const entries = Object.entries(auditedFields(record)).filter(([, value]) => !isBlank(value));
  return {
    ...Object.fromEntries(entries.map(([field, after]) => [field, { after }])),
    content: { characters: record.content.length },
  };
}

function isBlank(value: Json): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The fields that differ between two states of a record. */
export function diffOf(before: AuditedFields, after: AuditedFields): AuditDiff {
  const [was, is] = [auditedFields(before), auditedFields(after)];
  const changed = Object.keys(is).filter((field) => !isDeepStrictEqual(was[field], is[field]));
  const fields = changed.map((field) => [field, { before: was[field] ?? null, after: is[field] ?? null }]);
  const content =
    before.content === after.content ? {} : { content: contentDiff(before.content, after.content) };
  return { ...Object.fromEntries(fields), ...content } as AuditDiff;
}

/** Comparing two long texts that have little in common could take minutes. */
const DIFF_TIMEOUT_MS = 50;

/** A unified diff; if that takes too long, the text before and the hash of the text after. */
export function contentDiff(before: string, after: string): Json {
  const patch = createPatch('content', before, after, '', '', { context: 0, timeout: DIFF_TIMEOUT_MS });
  if (patch === undefined) return { before, after: { characters: after.length, sha256: sha256(after) } };
  // The lines above the first hunk only have file names.
  return { patch: patch.slice(patch.indexOf('\n@@') + 1) };
}
