import {
  mergeConcepts,
  renameConcept,
  splitConcept,
  undoConceptChange,
} from '../../../engine/graph/concepts/change-concepts.ts';
import {
  madeChange,
  mergeConceptsInput,
  renameConceptInput,
  splitConceptInput,
  undoConceptChangeInput,
} from '../../../engine/graph/concepts/concept-fields.ts';
import type { Operation } from '../../operation.ts';

const CHANGES = {
  output: madeChange,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
} as const;

export const mergeConceptsOperation: Operation<typeof mergeConceptsInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-merge',
  title: 'Merge concepts',
  description:
    'Makes several concepts of a project one, with all their names and notes. `concept undo` reverses it.',
  input: mergeConceptsInput,
  examples: [{ title: 'Two words for one thing', input: { into: 'Oven', from: ['Stove'] } }],
  run: async (context, given) => mergeConcepts(await context.loci(), given, context),
};

export const splitConceptOperation: Operation<typeof splitConceptInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-split',
  title: 'Split a concept',
  description: 'Makes some names of a concept a concept of their own. `concept undo` reverses it.',
  input: splitConceptInput,
  examples: [{ title: 'An alias that means something else', input: { concept: 'Oven', names: ['Range'] } }],
  run: async (context, given) => splitConcept(await context.loci(), given, context),
};

export const renameConceptOperation: Operation<typeof renameConceptInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-rename',
  title: 'Rename a concept',
  description: 'Gives a concept another label, which becomes one of its names. `concept undo` reverses it.',
  input: renameConceptInput,
  examples: [{ title: 'A better label', input: { concept: 'oven', label: 'Kitchen oven' } }],
  run: async (context, given) => renameConcept(await context.loci(), given, context),
};

export const undoConceptChangeOperation: Operation<typeof undoConceptChangeInput, typeof madeChange> = {
  ...CHANGES,
  name: 'concept-undo',
  title: 'Undo a change of concepts',
  description:
    'Undoes a merge, split, rename or undo, whenever it was made. Refused with the reason while a later change builds on it.',
  input: undoConceptChangeInput,
  examples: [{ title: 'A merge that was wrong', input: { change: 'latest' } }],
  run: async (context, given) => undoConceptChange(await context.loci(), given, context),
};
