import type { ConceptMention, ConceptName, RecordConcepts } from '../../store/concept-model.ts';
import type { GraphEdge } from '../../store/graph-model.ts';
import { compare } from '../walk.ts';
import { type Concept, type Concepts, identityOf, isSpoken, isTag } from './concepts.ts';

/** How closely the nodes of an edge belong together. A link says more, a tag says less. */
const WEIGHTS = { mention: 0.5, phrase: 0.4, tag: 0.3 };
/** A name of more notes than this says too little about each of them. */
const MAX_CLAIMANTS = 3;

/** An edge from a record to what its text or properties name. */
export interface ConceptEdge extends Pick<GraphEdge, 'weight' | 'reason'> {
  readonly record: number;
  readonly concept: Concept;
  /** The line that says it; `null` for a tag. */
  readonly line: number | null;
}

/**
 * The edges of a record to what its text names: to notes, and to the nodes of tags and phrases that records share.
 * @param isCommon whether too many records have a name
 */
export function conceptEdges(
  record: number,
  { names, mentions }: Pick<RecordConcepts, 'names' | 'mentions'>,
  concepts: Concepts,
  isCommon: (key: string) => boolean,
): ConceptEdge[] {
  const builder = new EdgeBuilder(record, concepts);
  for (const mention of inOrder(mentions)) if (!isCommon(mention.key)) builder.addMention(mention);
  for (const name of inOrder(names)) if (isSpoken(name) && !isCommon(name.key)) builder.addName(name);
  return [...builder.edges.values()];
}

function inOrder<T extends { readonly key: string }>(names: readonly T[]): T[] {
  return names.toSorted((a, b) => compare(a.key, b.key));
}

class EdgeBuilder {
  /** By target: the strongest reason stays. */
  readonly edges = new Map<number | string, ConceptEdge>();
  readonly #record: number;
  readonly #concepts: Concepts;

  constructor(record: number, concepts: Concepts) {
    this.#record = record;
    this.#concepts = concepts;
  }

  addMention({ key, line, count }: ConceptMention): void {
    const times = count === 1 ? '' : `, ${String(count)} times in all`;
    const concept = this.#concepts.named(key);
    if (concept !== undefined) {
      const reason = `names ${quoted(textOf(concept, key))} in line ${String(line)}${times}`;
      this.#addTo(concept, WEIGHTS.mention, reason, line);
      return;
    }
    const claims = this.#concepts.conflictOf(key);
    if (claims === undefined || claims.records.length > MAX_CLAIMANTS) return;
    const reason = `names ${quoted(claims.text)} in line ${String(line)}${times}; ${String(claims.records.length)} notes are called so`;
    for (const record of claims.records) {
      const claimant = this.#concepts.ofRecord(record);
      if (claimant !== undefined)
        this.#addTo(claimant, WEIGHTS.mention / claims.records.length, reason, line);
    }
  }

  /** A tag alone is a node of the graph already. */
  addName({ key, text, kind, line }: ConceptName): void {
    const concept = this.#concepts.named(key);
    if (concept === undefined || isTag(concept)) return;
    if (kind === 'tag') this.#addTo(concept, WEIGHTS.tag, `has the tag ${quoted(text)}`, null);
    else this.#addTo(concept, WEIGHTS.phrase, `has the phrase ${quoted(text)} in line ${String(line)}`, line);
  }

  #addTo(concept: Concept, weight: number, reason: string, line: number | null): void {
    if (concept.record === this.#record) return;
    if ((this.edges.get(identityOf(concept))?.weight ?? 0) >= weight) return;
    this.edges.set(identityOf(concept), { record: this.#record, concept, weight, reason, line });
  }
}

function textOf(concept: Concept, key: string): string {
  return concept.names.find((name) => name.key === key)?.text ?? key;
}

function quoted(text: string): string {
  return `‘${text}’`;
}
