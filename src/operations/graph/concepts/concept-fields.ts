import { z } from 'zod';
import type { MadeChange } from '../../../engine/graph/concepts/change-concepts.ts';
import type { CitedRecord } from '../../../engine/graph/concepts/concepts.ts';
import type { ListedChange } from '../../../engine/graph/concepts/find-concept.ts';
import type { Concept } from '../../../graph/concepts/concept-changes.ts';
import { MAX_NAME_LENGTH } from '../../../core/names/name.ts';
import { LABEL_KINDS } from '../../../graph/concepts/concept-groups.ts';
import { filterValue } from '../../../engine/fields/record-fields.ts';
import { isoTime } from '../../../engine/fields/times.ts';

/** The name of a concept, or what becomes one. */
export const conceptName = () => z.string().trim().min(1).max(MAX_NAME_LENGTH);

export const conceptReference = () => conceptName().describe('The id of a concept, or any of its names.');

export const conceptProject = () =>
  filterValue()
    .exactOptional()
    .describe('Only the concepts of this project; those of all projects unless given.');

/** A concept in the output of every operation. */
export const conceptOutput = z.strictObject({
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

export function formatConcept({ id, label, project, names, records }: Concept): ConceptOutput {
  return {
    id,
    label,
    project,
    names: names.flatMap(({ text, kind }) => (kind === 'note' ? [] : [{ name: text, kind }])),
    notes: records.map((record) => `record/${String(record)}`),
  };
}

export const citedRecord = z.strictObject({
  citation: z.string().describe('What `get` reads.'),
  title: z.string(),
});

export function formatCited({ citation, title }: CitedRecord): z.infer<typeof citedRecord> {
  return { citation, title };
}

/** A change of concepts in the output of every operation. */
export const changeOutput = z.strictObject({
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

export function formatChange({ change, named, undoneBy, idle }: ListedChange): ConceptChangeOutput {
  const { id, kind, project, at, actor, surface } = change;
  const fields = { id, kind, project, at: isoTime(at), actor, surface };
  return { ...fields, what: describeChange(named), undone_by: undoneBy, no_effect: idle };
}

function describeChange(change: ListedChange['change']): string {
  switch (change.kind) {
    case 'merge':
      return `${change.from.join(', ')} into ${change.into}`;
    case 'split':
      return `${change.names.join(', ')} from ${change.from}`;
    case 'rename':
      return `${change.concept} to ${change.label}`;
    case 'undo':
      return change.change;
  }
}

/** The output of an operation that changes concepts. */
export const madeChange = z.strictObject({
  change: changeOutput,
  concepts: z.array(conceptOutput).describe('The concepts that the change is about, as they are now.'),
});
export type MadeChangeOutput = z.infer<typeof madeChange>;

export function formatMadeChange({ change, named, concepts }: MadeChange): MadeChangeOutput {
  return {
    change: formatChange({ change, named, undoneBy: null, idle: null }),
    concepts: concepts.map(formatConcept),
  };
}
