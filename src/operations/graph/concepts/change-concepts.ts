import { z } from 'zod';
import {
  mergeConcepts,
  renameConcept,
  splitConcept,
  undoConceptChange,
} from '../../../engine/graph/concepts/change-concepts.ts';
import type { Operation } from '../../operation.ts';
import {
  conceptName,
  conceptProject,
  conceptReference,
  formatMadeChange,
  madeChange,
} from './concept-fields.ts';
import { currentConcepts } from './current-concepts.ts';

/** Concepts or names that one change may name. */
const MAX_NAMED = 50;

const CHANGES = {
  output: madeChange,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
} as const;

const mergeInput = z.strictObject({
  into: conceptReference().describe('The concept that stays, with its id and label: an id or a name.'),
  from: z
    .array(conceptName())
    .min(1)
    .max(MAX_NAMED)
    .describe('The concepts that become part of it, by id or name.'),
  project: conceptProject(),
});

export const mergeConceptsOperation: Operation<typeof mergeInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-merge',
  title: 'Merge concepts',
  description:
    'Makes several concepts of a project one, with all their names and notes. `concept undo` reverses it.',
  input: mergeInput,
  examples: [{ title: 'Two words for one thing', input: { into: 'Oven', from: ['Stove'] } }],
  run: async (context, { into, from, project }) => {
    const loci = await currentConcepts(context);
    return formatMadeChange(await mergeConcepts(loci, into, from, project));
  },
};

const splitInput = z.strictObject({
  concept: conceptReference(),
  names: z
    .array(conceptName())
    .min(1)
    .max(MAX_NAMED)
    .describe('The names that leave it. With the title of a note goes the note.'),
  project: conceptProject(),
});

export const splitConceptOperation: Operation<typeof splitInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-split',
  title: 'Split a concept',
  description: 'Makes some names of a concept a concept of their own. `concept undo` reverses it.',
  input: splitInput,
  examples: [{ title: 'An alias that means something else', input: { concept: 'Oven', names: ['Range'] } }],
  run: async (context, { concept, names, project }) => {
    const loci = await currentConcepts(context);
    return formatMadeChange(await splitConcept(loci, concept, names, project));
  },
};

const renameInput = z.strictObject({
  concept: conceptReference(),
  label: conceptName().describe('What it is called from now on. The earlier names stay names of it.'),
  project: conceptProject(),
});

export const renameConceptOperation: Operation<typeof renameInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-rename',
  title: 'Rename a concept',
  description: 'Gives a concept another label, which becomes one of its names. `concept undo` reverses it.',
  input: renameInput,
  examples: [{ title: 'A better label', input: { concept: 'oven', label: 'Kitchen oven' } }],
  run: async (context, { concept, label, project }) => {
    const loci = await currentConcepts(context);
    return formatMadeChange(await renameConcept(loci, concept, label, project));
  },
};

const undoInput = z.strictObject({
  change: conceptName().describe('The id of the change, as `concept changes` lists it, or `latest`.'),
});

export const undoConceptChangeOperation: Operation<typeof undoInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-undo',
  title: 'Undo a change of concepts',
  description:
    'Undoes a merge, split, rename or undo, whenever it was made. Refused with the reason while a later change builds on it.',
  input: undoInput,
  examples: [{ title: 'A merge that was wrong', input: { change: 'latest' } }],
  run: async (context, { change }) => {
    const loci = await currentConcepts(context);
    return formatMadeChange(await undoConceptChange(loci, change));
  },
};
