import { sha256 } from '../../core/ids.ts';
import type { LociRecord, Passage } from '../../core/types.ts';
import type { ConceptMention, ConceptName, RecordConcepts } from '../../store/concept-model.ts';
import {
  type EdgeDraft,
  type GraphProvenance,
  type NodeDraft,
  type NodeKey,
  recordNode,
} from '../../store/graph-model.ts';
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

  ofRecord(record: number): Concept | undefined {
    return this.#byRecord.get(record);
  }
}

export interface RecordParts {
  readonly record: LociRecord;
  readonly concepts: RecordConcepts;
  readonly passages: readonly Pick<Passage, 'ordinal' | 'startLine' | 'endLine'>[];
}

/** What a record contributes to the graph by its names: edges, and the concepts that they lead to or come from. */
export interface ConceptEdges {
  readonly edges: readonly EdgeDraft[];
  readonly shared: readonly NodeDraft[];
}

/**
 * The edges of a record to what its text names. A concept that is one note is that note; another has a node of its own, from
 * which `same_as` leads to its notes.
 * @param isCommon whether too many records have a name
 */
export function conceptEdges(
  parts: RecordParts,
  lookup: ConceptLookup,
  isCommon: (key: string) => boolean,
): ConceptEdges {
  const builder = new EdgeBuilder(parts, lookup);
  const { names, mentions } = parts.concepts;
  for (const mention of mentions) if (!isCommon(mention.key)) builder.addMention(mention);
  for (const name of names) if (isSpoken(name) && !isCommon(name.key)) builder.addName(name);
  builder.addSameAs();
  return builder.built();
}

class EdgeBuilder {
  readonly #parts: RecordParts;
  readonly #lookup: ConceptLookup;
  readonly #src: NodeKey;
  /** By target: the strongest reason stays. */
  readonly #edges = new Map<string, EdgeDraft>();
  readonly #shared = new Map<string, NodeDraft>();

  constructor(parts: RecordParts, lookup: ConceptLookup) {
    this.#parts = parts;
    this.#lookup = lookup;
    this.#src = recordNode(parts.record.id);
  }

  built(): ConceptEdges {
    return { edges: [...this.#edges.values()], shared: [...this.#shared.values()] };
  }

  addMention({ key, line, count }: ConceptMention): void {
    const times = count === 1 ? '' : `, ${String(count)} times in all`;
    const concept = this.#lookup.named(key);
    if (concept !== undefined) {
      this.#addTo(
        concept,
        WEIGHTS.mention,
        `names ${quoted(textOf(concept, key))} in line ${String(line)}${times}`,
        line,
      );
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
    if (concept === undefined || concept.names.every((name) => name.kind === 'tag')) return;
    if (kind === 'tag') this.#addTo(concept, WEIGHTS.tag, `has the tag ${quoted(text)}`, null);
    else this.#addTo(concept, WEIGHTS.phrase, `has the phrase ${quoted(text)} in line ${String(line)}`, line);
  }

  /** The other notes of the concept of a note. */
  addSameAs(): void {
    const { record } = this.#parts;
    const concept = this.#lookup.ofRecord(record.id);
    if (concept === undefined || concept.records.length < 2) return;
    this.#addNode(concept);
    const reason = `${quoted(concept.label)} is about ${String(concept.records.length)} notes, which an operator merged`;
    const edge = { src: concept.id, dst: this.#src, type: 'same_as', weight: WEIGHTS.same, reason } as const;
    this.#edges.set('same_as', { ...edge, provenance: this.#provenance(null) });
  }

  #addTo(concept: Concept, weight: number, reason: string, line: number | null): void {
    const { record } = this.#parts;
    if (concept.records.includes(record.id)) return;
    const [only, ...others] = concept.records;
    const isNote = only !== undefined && others.length === 0;
    const dst = isNote ? recordNode(only) : concept.id;
    if ((this.#edges.get(dst)?.weight ?? 0) >= weight) return;
    if (!isNote) this.#addNode(concept);
    const edge = { src: this.#src, dst, type: 'mentions', weight, reason } as const;
    this.#edges.set(dst, { ...edge, provenance: this.#provenance(line) });
  }

  #addNode({ id, label, project }: Concept): void {
    const own = { key: id, id, type: 'concept', title: label, project } as const;
    const shared = {
      tags: [],
      record: null,
      source: null,
      sharesIdentity: false,
      task: null,
      provenance: null,
    };
    this.#shared.set(id, { ...own, ...shared });
  }

  #provenance(line: number | null): GraphProvenance {
    const { record, passages } = this.#parts;
    if (line === null) return { record: record.id, passage: null, lines: null, hash: record.contentHash };
    const text = (record.content.split('\n', line)[line - 1] ?? '').replace(/\r$/, '');
    const passage = passages.findLast(({ startLine, endLine }) => startLine <= line && line <= endLine);
    const lines = { first: line, last: line };
    return { record: record.id, passage: passage?.ordinal ?? null, lines, hash: sha256(text) };
  }
}

function textOf(concept: Concept, key: string): string {
  return concept.names.find((name) => name.key === key)?.text ?? key;
}

function quoted(text: string): string {
  return `‘${text}’`;
}
