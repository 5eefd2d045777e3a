import { z } from 'zod';
import {
  contentField,
  embeddedFields,
  idempotencyKey,
  label,
  maskedKinds,
  recordId,
  tagList,
  titleField,
} from '../fields/record-fields.ts';

export const undeleteInput = z.strictObject({ id: recordId() });

export const undeleteOutput = z.strictObject({
  id: recordId(),
  title: z.string(),
  citation: z.string().describe('`get` reads it.'),
  ...embeddedFields(),
});

export type UndeleteOutput = z.infer<typeof undeleteOutput>;

export const deleteInput = z.strictObject({ id: recordId() });

export const deleteOutput = z.strictObject({
  id: recordId(),
  title: z.string(),
  deleted_at: z.iso.datetime(),
  purged_after: z.iso.datetime().describe('Until then `undelete` can restore it.'),
});

export type DeleteOutput = z.infer<typeof deleteOutput>;

export const updateInput = z.strictObject({
  id: recordId(),
  content: contentField().exactOptional().describe('The new text, complete.'),
  title: titleField().exactOptional().describe('The new heading.'),
  category: label().exactOptional().describe('The new category.'),
  record_type: label().exactOptional().describe('The new type.'),
  tags: tagList().exactOptional().describe('The new tags, which replace all former ones.'),
  project: label().exactOptional().describe('The new project.'),
  if_updated_at: z.iso
    .datetime()
    .max(30)
    .exactOptional()
    .describe('Only if this is still its `updated_at`; otherwise the error is `conflict`.'),
});

export const updateOutput = z.strictObject({
  id: recordId(),
  citation: z.string().describe('`get` reads it.'),
  changed: z.array(z.string()).describe('The fields whose values changed.'),
  reembedded: z.boolean().describe('Whether its text was cut into passages and embedded again.'),
  ...embeddedFields(),
  masked: maskedKinds(),
});

export type UpdateOutput = z.infer<typeof updateOutput>;

export const writeInput = z.strictObject({
  content: contentField().describe('The text to remember, up to 1 MiB; may be Markdown.'),
  title: titleField().exactOptional().describe('A short heading.'),
  category: label().exactOptional().describe('A category of your choice; `general` unless given.'),
  record_type: label().exactOptional().describe('The type of the record; `fact` unless given.'),
  tags: tagList().exactOptional().describe('Words to filter by.'),
  project: label()
    .exactOptional()
    .describe('The project that it belongs to; the configured one unless given.'),
  idempotency_key: idempotencyKey().exactOptional(),
});

export const writeOutput = z.strictObject({
  id: recordId(),
  citation: z.string().describe('`get` reads it.'),
  ...embeddedFields(),
  same_as: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('An earlier record with exactly the same text; this one is stored nevertheless.'),
  masked: maskedKinds(),
  replayed: z.boolean().describe('It was stored before, with the same idempotency key.'),
});

export type WriteOutput = z.infer<typeof writeOutput>;
