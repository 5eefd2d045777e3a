import type { ConceptMention, ConceptName, RecordConcepts } from '../../store/concept-model.ts';
import type { GraphEdge } from '../../store/graph-model.ts';
import { compare } from '../walk.ts';
import type { Concept, ConceptState } from './concept-changes.ts';
import { isSpoken } from './concept-groups.ts';

/** How closely the nodes of an edge belong together. A link says more, a tag says less. */
const WEIGHTS = { mention: 0.5, phrase: 0.4, tag: 0.3, same: 0.9 };
/** A name of more notes than this says too little about each of them. */
const MAX_CLAIMANTS = 3;

/** The concepts of a project by name and by note. */
export class ConceptLookup {
  readonly state: ConceptState;
  readonly #byName = new Map<string, Concept>();
  readonly #byRecord = new Map<number, Concept>();

  constructor(state: ConceptState, project: string) {
    this.state = state;
    for (const concept of state.concepts(project)) {
      for (const { key } of concept.names) this.#byName.set(key, concept);
      for (const record of concept.records) this.#byRecord.set(record, concept);
    }
  }

  named(key: string): Concept | undefined {
    return this.#byName.get(key);
  }

  /** The concept that a note is about. */
  ofRecord(record: number): Concept | undefined {
    return this.#byRecord.get(record);
  }
}

/** An edge that begins or ends at the record whose text or properties are its reason. */
export interface ConceptEdge extends Pick<GraphEdge, 'weight' | 'reason'> {
  readonly type: 'mentions' | 'same_as';
  /** `same_as` leads from the concept to the record, `mentions` from the record to the concept. */
  readonly record: number;
  readonly concept: Concept;
  /** The line that says it; `null` for a tag or a change by an operator. */
  readonly line: number | null;
}

/** The note that a concept is; `null` if it is none or several, and has a node of its own. */
export function noteOf({ records }: Concept): number | null {
  return records.length === 1 ? records[0]! : null;
}

/**
 * The edges of a record to what its text names. A concept that is one note is that note; another has a node of its own, from
 * which `same_as` leads to its notes.
 * @param isCommon whether too many records have a name
 */
export function conceptEdges(
  record: number,
  { names, mentions }: Pick<RecordConcepts, 'names' | 'mentions'>,
  lookup: ConceptLookup,
  isCommon: (key: string) => boolean,
): ConceptEdge[] {
  const builder = new EdgeBuilder(record, lookup);
  for (const mention of inOrder(mentions)) if (!isCommon(mention.key)) builder.addMention(mention);
  for (const name of inOrder(names)) if (isSpoken(name) && !isCommon(name.key)) builder.addName(name);
  return [...builder.edges.values()];
}

function inOrder<T extends { readonly key: string }>(names: readonly T[]): T[] {
  return names.toSorted((a, b) => compare(a.key, b.key));
}

/** The edges from a concept to its notes, if it is several. */
export function sameAsEdges(concept: Concept): ConceptEdge[] {
  const { records, label } = concept;
  if (records.length < 2) return [];
  const reason = `${quoted(label)} is about ${String(records.length)} notes, which an operator merged`;
  return records.map((record) => ({
    type: 'same_as',
    record,
    concept,
    weight: WEIGHTS.same,
    reason,
    line: null,
  }));
}

class EdgeBuilder {
  /** By target: the strongest reason stays. */
  readonly edges = new Map<string, ConceptEdge>();
  readonly #record: number;
  readonly #lookup: ConceptLookup;

  constructor(record: number, lookup: ConceptLookup) {
    this.#record = record;
    this.#lookup = lookup;
  }

  addMention({ key, line, count }: ConceptMention): void {
    const times = count === 1 ? '' : `, ${String(count)} times in all`;
    const concept = this.#lookup.named(key);
    if (concept !== undefined) {
      const reason = `names ${quoted(textOf(concept, key))} in line ${String(line)}${times}`;
      this.#addTo(concept, WEIGHTS.mention, reason, line);
      return;
    }
    const claims = this.#lookup.state.conflictOf(key);
    if (claims === undefined || claims.records.length > MAX_CLAIMANTS) return;
    const reason = `names ${quoted(claims.text)} in line ${String(line)}${times}; ${String(claims.records.length)} notes are called so`;
    for (const record of claims.records) {
      const claimant = this.#lookup.ofRecord(record);
      if (claimant !== undefined)
        this.#addTo(claimant, WEIGHTS.mention / claims.records.length, reason, line);
    }
  }

  /** A tag alone is a node of the graph already. */
  addName({ key, text, kind, line }: ConceptName): void {
    const concept = this.#lookup.named(key);
    if (concept === undefined || isTag(concept)) return;
    if (kind === 'tag') this.#addTo(concept, WEIGHTS.tag, `has the tag ${quoted(text)}`, null);
    else this.#addTo(concept, WEIGHTS.phrase, `has the phrase ${quoted(text)} in line ${String(line)}`, line);
  }

  #addTo(concept: Concept, weight: number, reason: string, line: number | null): void {
    if (concept.records.includes(this.#record)) return;
    if ((this.edges.get(concept.id)?.weight ?? 0) >= weight) return;
    this.edges.set(concept.id, { type: 'mentions', record: this.#record, concept, weight, reason, line });
  }
}

/** Whether all names of a concept are tags. */
export function isTag({ names }: Concept): boolean {
  return names.every(({ kind }) => kind === 'tag');
}

function textOf(concept: Concept, key: string): string {
  return concept.names.find((name) => name.key === key)?.text ?? key;
}

function quoted(text: string): string {
  return `‘${text}’`;
}
