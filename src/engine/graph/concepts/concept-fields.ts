import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../../core/names/name.ts';
import { filterValue } from '../../fields/record-fields.ts';
import { LABEL_KINDS } from '../../../graph/concepts/concept-groups.ts';

/** The name of a concept, or what becomes one. */
const conceptName = () => z.string().trim().min(1).max(MAX_NAME_LENGTH);

const conceptReference = () => conceptName().describe('The id of a concept, or any of its names.');

const conceptProject = () =>
  filterValue()
    .exactOptional()
    .describe('Only the concepts of this project; those of all projects unless given.');

/** A concept in the output of every operation. */
const conceptOutput = z.strictObject({
  id: z.string().describe('Stable; the ids that it had before a merge lead to it too.'),
  label: z.string().describe('What it is called.'),
  project: z.string(),
  names: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(LABEL_KINDS).describe('Where the name comes from.'),
    }),
  ),
  notes: z.array(z.string()).describe('The notes that are about it, as `get` reads them.'),
});
export type ConceptOutput = z.infer<typeof conceptOutput>;

const citedRecord = z.strictObject({
  id: z.number().int().positive(),
  citation: z.string().describe('What `get` reads.'),
  title: z.string(),
});

/** A change of concepts in the output of every operation. */
const changeOutput = z.strictObject({
  id: z.string().describe('What `concept undo` takes.'),
  kind: z.enum(['merge', 'split', 'rename', 'undo']),
  project: z.string(),
  at: z.iso.datetime(),
  actor: z.string(),
  surface: z.string(),
  what: z.string().describe('The change in words, with the titles and names of its concepts.'),
  undone_by: z.string().nullable().describe('The change that undid it; null: none.'),
  no_effect: z
    .string()
    .nullable()
    .describe('Why it has no effect now, though nothing undid it; null: it has.'),
});
export type ConceptChangeOutput = z.infer<typeof changeOutput>;

/** The output of an operation that changes concepts. */
export const madeChange = z.strictObject({
  made: z.boolean().describe('False for a preview, which changes nothing.'),
  change: changeOutput,
  concepts: z.array(conceptOutput).describe('The concepts that the change is about, as they are now.'),
});
export type MadeChangeOutput = z.infer<typeof madeChange>;

export const DEFAULT_LIMIT = 50;

export const listConceptsInput = z.strictObject({
  project: conceptProject(),
  name: conceptName().exactOptional().describe('Only concepts with a name that contains this.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(`The highest number of concepts; ${String(DEFAULT_LIMIT)} unless given.`),
  after: conceptName().exactOptional().describe('`next` of the previous page.'),
});

export const listConceptsOutput = z.strictObject({
  concepts: z.array(conceptOutput),
  total: z.number().int().nonnegative().describe('How many concepts match, on all pages.'),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
});

export type ConceptListOutput = z.infer<typeof listConceptsOutput>;

export const showConceptInput = z.strictObject({ concept: conceptReference(), project: conceptProject() });

export const showConceptOutput = z.strictObject({
  concept: conceptOutput,
  notes: z.array(citedRecord).describe('The notes that are about it.'),
  mentioned_in: z.array(citedRecord).describe('Other records that name it; at most 50.'),
  disputed: z.array(z.string()).describe('Names that another note has too, so that they are no names of it.'),
  changes: z.array(changeOutput).describe('What operators changed about it.'),
});

export type ConceptShowOutput = z.infer<typeof showConceptOutput>;

export const listedConceptsInput = z.strictObject({
  project: conceptProject(),
  limit: z.number().int().min(1).max(500).exactOptional().describe('The highest number; all unless given.'),
  after: z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('`next` of the previous page.'),
});

const page = {
  total: z.number().int().nonnegative().describe('How many there are, on all pages.'),
  next: z.number().int().positive().nullable().describe('Where the next page begins; null on the last page.'),
};

export const conceptConflictsOutput = z.strictObject({
  conflicts: z.array(
    z.strictObject({
      name: z.string(),
      project: z.string(),
      notes: z.array(
        citedRecord.extend({ concept: z.string().describe('The id of the concept of the note.') }),
      ),
    }),
  ),
  ...page,
});

export type ConceptConflictsOutput = z.infer<typeof conceptConflictsOutput>;

export const conceptChangesOutput = z.strictObject({
  changes: z.array(changeOutput).describe('The last one first.'),
  ...page,
});

export type ConceptChangesOutput = z.infer<typeof conceptChangesOutput>;

/** Concepts or names that one change may name. */
const MAX_NAMED = 50;

const preview = () => z.boolean().exactOptional().describe('Show what it would make, and change nothing.');

export const mergeConceptsInput = z.strictObject({
  into: conceptReference().describe('The concept that stays, with its id and label: an id or a name.'),
  from: z
    .array(conceptName())
    .min(1)
    .max(MAX_NAMED)
    .describe('The concepts that become part of it, by id or name.'),
  project: conceptProject(),
  preview: preview(),
});

export const splitConceptInput = z.strictObject({
  concept: conceptReference(),
  names: z
    .array(conceptName())
    .min(1)
    .max(MAX_NAMED)
    .describe('The names that leave it. With the title of a note goes the note.'),
  project: conceptProject(),
  preview: preview(),
});

export const renameConceptInput = z.strictObject({
  concept: conceptReference(),
  label: conceptName().describe('What it is called from now on. The earlier names stay names of it.'),
  project: conceptProject(),
});

export const undoConceptChangeInput = z.strictObject({
  change: conceptName().describe('The id of the change, as `concept changes` lists it, or `latest`.'),
});
