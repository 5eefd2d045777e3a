import type { TaskRunner } from '../../../core/threads/task-thread.ts';
import type { Concept } from '../../../graph/concepts/concept-changes.ts';
import { TextMask } from '../../../secrets/text-mask.ts';
import type { ConceptChange } from '../../../store/concept-model.ts';
import { isoTime } from '../../fields/times.ts';
import type { ConceptChangeOutput, ConceptOutput } from './concept-fields.ts';
import type { ListedChange } from './find-concept.ts';

/** Makes what an answer shows of concepts, with credentials masked. Ids stay. */
export class ConceptMask {
  readonly texts: TextMask;

  constructor(thread: TaskRunner) {
    this.texts = new TextMask(thread);
  }

  async concept({ id, label, project, names, records }: Concept): Promise<ConceptOutput> {
    const shown = names.flatMap(({ text, kind }) => (kind === 'note' ? [] : [{ text, kind }]));
    return {
      id,
      label: await this.texts.text(label),
      project,
      names: await Promise.all(
        shown.map(async ({ text, kind }) => ({ name: await this.texts.text(text), kind })),
      ),
      notes: records.map((record) => `record/${String(record)}`),
    };
  }

  concepts(concepts: readonly Concept[]): Promise<ConceptOutput[]> {
    return Promise.all(concepts.map((concept) => this.concept(concept)));
  }

  async change({ named, undoneBy, idle }: ListedChange): Promise<ConceptChangeOutput> {
    const { id, kind, project, at, actor, surface } = named;
    return {
      ...{ id, kind, project, at: isoTime(at), actor, surface },
      what: describeChange(await this.#masked(named)),
      undone_by: undoneBy,
      no_effect: idle === null ? null : await this.texts.text(idle),
    };
  }

  changes(changes: readonly ListedChange[]): Promise<ConceptChangeOutput[]> {
    return Promise.all(changes.map((change) => this.change(change)));
  }

  async #masked(change: ConceptChange): Promise<ConceptChange> {
    switch (change.kind) {
      case 'merge':
        return {
          ...change,
          into: await this.texts.text(change.into),
          from: await this.texts.texts(change.from),
        };
      case 'split':
        return {
          ...change,
          from: await this.texts.text(change.from),
          names: await this.texts.texts(change.names),
        };
      case 'rename':
        return {
          ...change,
          concept: await this.texts.text(change.concept),
          label: await this.texts.text(change.label),
        };
      case 'undo':
        return change;
    }
  }
}

function describeChange(change: ConceptChange): string {
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
