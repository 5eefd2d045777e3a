import type { TaskRunner } from '../../../core/threads/task-thread.ts';
import type { Concept } from '../../../graph/concepts/concept-changes.ts';
import { TextMask } from '../../../secrets/text-mask.ts';
import type { ConceptChange } from '../../../store/concept-model.ts';
import type { ListedChange } from './find-concept.ts';

/** Masks the credentials in what an answer shows of concepts. Ids and the keys of names stay. */
export class ConceptMask {
  readonly texts: TextMask;

  constructor(thread: TaskRunner) {
    this.texts = new TextMask(thread);
  }

  async concept(concept: Concept): Promise<Concept> {
    const names = await Promise.all(
      concept.names.map(async (name) => ({ ...name, text: await this.texts.text(name.text) })),
    );
    return { ...concept, label: await this.texts.text(concept.label), names };
  }

  concepts(concepts: readonly Concept[]): Promise<Concept[]> {
    return Promise.all(concepts.map((concept) => this.concept(concept)));
  }

  async change(change: ConceptChange): Promise<ConceptChange> {
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

  changes(changes: readonly ListedChange[]): Promise<ListedChange[]> {
    return Promise.all(
      changes.map(async ({ change, named, undoneBy, idle }) => ({
        change: await this.change(change),
        named: await this.change(named),
        undoneBy,
        idle: idle === null ? null : await this.texts.text(idle),
      })),
    );
  }
}
