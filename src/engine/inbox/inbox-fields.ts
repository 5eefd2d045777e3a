import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { ORIGINS } from '../../core/types.ts';
import { recordId, limitField } from '../fields/record-fields.ts';
import { timeBound } from '../fields/time-bound.ts';

const MAX_CHOSEN = 1000;
export const DEFAULT_GROUPS = 20;
export const DEFAULT_CHANGES = 10;

const changeId = () => z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

const groupId = () =>
  z
    .string()
    .max(12)
    .regex(/^[0-9a-f]{12}$/, 'the id of a group, 12 digits from 0 to f')
    .describe('The id of a group, which is what one agent did in one session.');

const upTo = () =>
  changeId()
    .exactOptional()
    .describe('Only changes up to this number: those that were listed, not what the agent has done since.');

export const inboxInput = z.strictObject({
  group: groupId().exactOptional().describe('Only this group, with its changes page by page.'),
  limit: limitField(100).describe(`The highest number of groups; ${String(DEFAULT_GROUPS)} unless given.`),
  changes: limitField(200, 0).describe(
    `How many changes of each group; ${String(DEFAULT_CHANGES)} unless given.`,
  ),
  after: z
    .string()
    .max(29)
    .regex(/^\d{1,16}\/[0-9a-f]{12}$/, 'the `next` of the previous page')
    .exactOptional()
    .describe('`next` of the previous page of groups.'),
  after_change: changeId().exactOptional().describe('`next_change` of the group on the previous page.'),
});
export type InboxRequest = z.infer<typeof inboxInput>;

const counts = () => ({
  total: count().describe('All changes.'),
  written: count().describe('New records.'),
  changed: count().describe('Changed and restored records, and everything else.'),
  deleted: count().describe('Deleted records and facts.'),
  facts: count().describe('Stored facts.'),
});

const change = z.strictObject({
  id: changeId().describe('The number of its entry in the audit log.'),
  at: z.iso.datetime(),
  action: z.string().describe('write, update, delete, undelete, store, forget and others.'),
  subject: z.string().nullable().describe('UUID of the record, or the name of what else was changed.'),
  record: recordId().nullable().describe('Number of the record; null if it is gone, or if it is none.'),
  state: z.enum(['live', 'deleted', 'gone']).describe('The record now.'),
  origin: z.enum(ORIGINS).nullable(),
  title: z.string().describe('The title of the record now, or the key of the fact.'),
  category: z.string().nullable(),
  excerpt: z.string().describe('The beginning of its text now, without blank lines.'),
  excerpt_shortened: z.boolean().describe('There is more of the text than the excerpt; `get` reads all.'),
  expires_at: z.iso.datetime().nullable().describe('When a fact expires.'),
  diff: z
    .record(z.string(), z.json())
    .nullable()
    .describe('The value of each changed field before and after; for texts, a patch.'),
  shortened: z.boolean().describe('The diff has only the beginning of long texts; `audit` has all.'),
  undo: z
    .enum(['delete', 'restore', 'change-back'])
    .nullable()
    .describe('What undoing it does to the record; null if it cannot be undone.'),
  with: count().describe('Later changes of the session to the same record, which are undone with it.'),
  why: z.string().nullable().describe('Why it cannot be undone.'),
  changed_by: z
    .strictObject({ agent: z.string(), surface: z.string(), action: z.string() })
    .nullable()
    .describe('The later change that prevents it.'),
});
export type InboxChange = z.infer<typeof change>;

const group = z.strictObject({
  id: groupId(),
  agent: z.string().describe('Name in the audit log.'),
  surface: z.string(),
  session: z.string().nullable().describe('The session as the client names it; null if it names none.'),
  from: z.iso.datetime().describe('The first change.'),
  to: z.iso.datetime().describe('The last change.'),
  last: count().describe('The number of the last change.'),
  ...counts(),
  changes: z.array(change).describe('The last one first.'),
  next_change: changeId().nullable().describe('Where the next page of changes begins; null on the last one.'),
});
export type InboxGroup = z.infer<typeof group>;

export const inboxOutput = z.strictObject({
  ...counts(),
  groups: z.array(group).describe('The one with the last change first.'),
  next: z.string().nullable().describe('Where the next page of groups begins; null on the last page.'),
});
export type InboxOutput = z.infer<typeof inboxOutput>;

const chosen = {
  changes: z.array(changeId()).min(1).max(MAX_CHOSEN).exactOptional().describe('The numbers of changes.'),
  group: groupId().exactOptional(),
  up_to: upTo(),
};

export const keepInput = z.strictObject({
  ...chosen,
  until: timeBound('until').exactOptional().describe('All changes up to this day or time.'),
  all: z.literal(true).exactOptional().describe('All changes.'),
});
export type KeepRequest = z.infer<typeof keepInput>;

export const keepOutput = z.strictObject({
  kept: count().describe('Changes that left the inbox.'),
  left: count().describe('Changes that are still there.'),
});
export type KeepOutput = z.infer<typeof keepOutput>;

export const undoInput = z.strictObject({
  ...chosen,
  undo: z.uuid().max(36).exactOptional().describe('Takes back this undo: the `undo` of its answer.'),
});
export type UndoRequest = z.infer<typeof undoInput>;

export const undoOutput = z.strictObject({
  undo: z.uuid().nullable().describe('With this, the undo can be taken back; null if nothing was undone.'),
  undone: count().describe('Changes that were undone.'),
  records: z
    .array(
      z.strictObject({
        id: recordId(),
        title: z.string(),
        did: z.enum(['deleted', 'restored', 'changed-back', 'nothing']),
      }),
    )
    .describe('What happened to the records, at most 100 of them.'),
  refused: count().describe('Changes that could not be undone. They stay in the inbox.'),
  reasons: z
    .array(
      z.strictObject({
        change: changeId(),
        record: recordId().nullable(),
        title: z.string(),
        why: z.string(),
      }),
    )
    .describe('Why they could not, at most 100 of them.'),
});
export type UndoOutput = z.infer<typeof undoOutput>;
