import type { LociRecord, Passage } from '../../core/types.ts';
import { isJsonMap } from '../../core/json.ts';
import { dayText } from '../../core/time/whole-day.ts';
import {
  type NamedNote,
  notesNamedPlainly,
  statementOfProperty,
} from '../../sources/markdown/statement-property.ts';
import type { RecordLink } from '../../store/model.ts';
import { type EdgeType, NODE_TYPES, type NodeType } from '../../core/graph-types.ts';
import {
  type EdgeDraft,
  type GraphProvenance,
  type NodeDraft,
  type NodeKey,
  type RecordGraph,
  recordNode,
  type TaskState,
} from '../../store/graph-model.ts';
import { projectNodeId, recordNodeId, tagNodeId, taskNodeId } from '../model.ts';
import type { LinkPlace, NoteOutline, Place, LocatedTask } from './outline.ts';

/** Types by folder of a vault (`Decisions`, or `Vault:Decisions`), and by name of a vault or source. */
export type NodeTypeRules = Readonly<Record<string, NodeType>>;

/** Words for types in front matter, in tags and as the type of a record. */
const TYPES_BY_WORD: ReadonlyMap<string, NodeType> = new Map<string, NodeType>([
  ...NODE_TYPES.map((type): [string, NodeType] => [type, type]),
  ...(['adr', 'entscheidung'] as const).map((word): [string, NodeType] => [word, 'decision']),
  ...(['todo', 'aufgabe'] as const).map((word): [string, NodeType] => [word, 'task']),
  ...(['meeting', 'appointment', 'termin'] as const).map((word): [string, NodeType] => [word, 'event']),
  ...(['bericht', 'retrospective'] as const).map((word): [string, NodeType] => [word, 'report']),
  ...(['bookmark', 'url'] as const).map((word): [string, NodeType] => [word, 'link']),
  ['projekt', 'project'],
]);

type TypedRecord = Pick<
  LociRecord,
  'origin' | 'source' | 'key' | 'recordType' | 'tags' | 'metadata' | 'content'
>;

/**
 * The type of the node of a record: from its `type`, then from the first tag that names one, then from the deepest folder or
 * the source that has a rule, else from its origin.
 */
export function nodeTypeOf(record: TypedRecord, rules: NodeTypeRules): NodeType {
  const { origin, recordType, tags } = record;
  const isDefault = recordType === 'note' || recordType === 'document' || recordType === origin;
  const stated = isDefault ? undefined : TYPES_BY_WORD.get(recordType.toLowerCase());
  if (stated !== undefined) return stated;
  const tagged = tags.find((tag) => {
    const type = TYPES_BY_WORD.get(tag.toLowerCase());
    return type !== undefined && !(type === 'task' && isOfTaskLine(tag, record));
  });
  return (
    (tagged === undefined ? undefined : TYPES_BY_WORD.get(tagged.toLowerCase())) ??
    typeByRule(record, rules) ??
    (origin === 'vault' ? 'note' : 'record')
  );
}

const TASK_LINE = /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.\][ \t].*$/gmu;

/** Whether a tag stands in a task of a note: the global filter of Obsidian Tasks says nothing of the note. */
function isOfTaskLine(tag: string, { origin, content }: TypedRecord): boolean {
  if (origin !== 'vault') return false;
  return [...content.matchAll(TASK_LINE)].some(([line]) => line.split(/\s+/).includes(`#${tag}`));
}

function typeByRule({ source, key }: TypedRecord, rules: NodeTypeRules): NodeType | undefined {
  const parts = (key ?? '').split('/').slice(0, -1);
  for (let depth = parts.length; depth > 0; depth--) {
    const folder = parts.slice(0, depth).join('/');
    const type = ruleOf(rules, `${source}:${folder}`) ?? ruleOf(rules, folder);
    if (type !== undefined) return type;
  }
  return ruleOf(rules, source);
}

function ruleOf(rules: NodeTypeRules, name: string): NodeType | undefined {
  return Object.hasOwn(rules, name) ? rules[name] : undefined;
}

/** Must grow whenever the same record leads to other nodes or edges; graphs are then derived again. */
export const BUILD_VERSION = 3;

/** A record with what the store and its text say about its relations. */
interface RecordParts {
  readonly record: LociRecord;
  readonly links: readonly RecordLink[];
  readonly outline: NoteOutline;
  readonly passages: readonly Pick<Passage, 'ordinal' | 'startLine' | 'endLine'>[];
  /** Whether another document of its source has the same identity. */
  readonly sharesIdentity: boolean;
}

/** The nodes and edges of a record, and the nodes that it shares with others. */
export interface BuiltRecord extends RecordGraph {
  readonly shared: readonly NodeDraft[];
}

/** How closely the nodes of an edge belong together. The best links are about as good as the best similar notes. */
const WEIGHTS = { link: 0.6, embed: 0.8, repeated: 0.1, mostLinks: 0.9, project: 0.3, task: 0.5, tag: 0.4 };
const STATEMENT_WEIGHT = 0.9;

export function buildRecord(parts: RecordParts, rules: NodeTypeRules): BuiltRecord {
  const builder = new RecordBuilder(parts);
  builder.addRecord(rules);
  builder.addLinks();
  builder.addStatements();
  builder.addTasks();
  return builder.built();
}

class RecordBuilder {
  readonly #parts: RecordParts;
  readonly #key: NodeKey;
  readonly #id: string;
  readonly #nodes: NodeDraft[] = [];
  /** By source, type and target: the first of several statements stays. */
  readonly #edges = new Map<string, EdgeDraft>();
  readonly #shared: NodeDraft[] = [];
  readonly #named: readonly NamedNote[];

  constructor(parts: RecordParts) {
    this.#parts = parts;
    const { frontMatter } = parts.record.metadata;
    this.#named = isJsonMap(frontMatter) ? notesNamedPlainly(frontMatter) : [];
    this.#key = recordNode(parts.record.id);
    this.#id = recordNodeId(parts.record, parts.sharesIdentity);
  }

  built(): BuiltRecord {
    return { nodes: this.#nodes, edges: [...this.#edges.values()], shared: this.#shared };
  }

  /** The node of the record, its project and its tags. */
  addRecord(rules: NodeTypeRules): void {
    const { record, sharesIdentity } = this.#parts;
    const { project, tags, title, key } = record;
    const type = nodeTypeOf(record, rules);
    this.#nodes.push({
      ...this.#node(this.#key, this.#id, title === '' ? firstLine(record.content, key) : title),
      type,
      sharesIdentity,
      task: type === 'task' ? taskStateOf(record) : null,
    });
    const projectNode = projectNodeId(project);
    this.#share(projectNode, 'project', project);
    this.#add('part_of', this.#key, projectNode, WEIGHTS.project, 'belongs to the project', null);
    if (type === 'project' && title.toLowerCase() === project.toLowerCase())
      this.#add('same_as', this.#key, projectNode, 1, 'is the note of the project', null);
    for (const tag of new Set(tags.map((each) => each.normalize('NFC').toLowerCase()))) {
      const node = tagNodeId(project, tag);
      this.#share(node, 'concept', tag);
      this.#add('tagged', this.#key, node, WEIGHTS.tag, `tagged #${tag}`, null);
    }
  }

  /**
   * Edges to the records that the links mean. A link to the record itself is no edge, and neither is the name of a note in a
   * property, which is a statement.
   */
  addLinks(): void {
    const { record, links, outline } = this.#parts;
    const places = new Map(outline.links.map((place) => [linkKey(place.target, place.embed), place]));
    const named = new Set(this.#named.map(({ target }) => target));
    const isLink = ({ target, type }: RecordLink): boolean =>
      places.has(linkKey(target, type === 'embed')) || !named.has(target);
    const byTarget = Map.groupBy(
      links.filter((link) => link.targetRecord !== null && link.targetRecord !== record.id && isLink(link)),
      ({ targetRecord, type }) => `${type} ${String(targetRecord)}`,
    );
    for (const group of byTarget.values()) {
      const { type, targetRecord } = group[0]!;
      const found = group.flatMap(({ target }) => places.get(linkKey(target, type === 'embed')) ?? []);
      const place = found.reduce<LinkPlace | null>(
        (first, each) => (first === null || each.line < first.line ? each : first),
        null,
      );
      const count = found.reduce((sum, each) => sum + each.count, 0);
      const [edgeType, base, verb] =
        type === 'embed'
          ? (['embeds', WEIGHTS.embed, 'embedded'] as const)
          : (['links_to', WEIGHTS.link, 'linked'] as const);
      const weight = Math.min(WEIGHTS.mostLinks, base + WEIGHTS.repeated * Math.log2(Math.max(1, count)));
      const reason = `${verb}${where(place)}${count > 1 ? `, and ${String(count - 1)} more` : ''}`;
      this.#add(edgeType, this.#key, recordNode(targetRecord!), rounded(weight), reason, place);
    }
  }

  /** What the text and the properties say about other records in so many words. */
  addStatements(): void {
    const { record, links, outline } = this.#parts;
    const targets = new Map(links.map(({ target, targetRecord }) => [target, targetRecord]));
    for (const { target, statement, ...place } of outline.statements)
      this.#addStatement(statement, targets.get(target) ?? null, where(place), place);
    for (const { statement, target } of this.#named)
      this.#addStatement(statement, targets.get(target) ?? null, ' in its properties', null);
    for (const [property, value] of Object.entries(record.metadata)) {
      const statement = statementOfProperty(property);
      if (statement === null) continue;
      for (const cited of Array.isArray(value) ? value : [value])
        this.#addStatement(statement, citedRecord(cited), ' in its properties', null);
    }
  }

  #addStatement(
    statement: 'supersedes' | 'superseded_by' | 'derived_from',
    target: number | null,
    at: string,
    place: Place | null,
  ): void {
    if (target === null || target === this.#parts.record.id) return;
    const other = recordNode(target);
    if (statement === 'derived_from')
      this.#add('derived_from', this.#key, other, STATEMENT_WEIGHT, `said to be derived from it${at}`, place);
    else if (statement === 'supersedes')
      this.#add('supersedes', this.#key, other, STATEMENT_WEIGHT, `said to supersede it${at}`, place);
    else
      this.#add('supersedes', other, this.#key, STATEMENT_WEIGHT, `said to be superseded by it${at}`, place);
  }

  /** The tasks of a note are nodes of their own. */
  addTasks(): void {
    const { record, outline } = this.#parts;
    if (record.origin === 'source') return;
    const repetitions = new Map<string, number>();
    for (const task of outline.tasks) {
      const name = task.blockId === null ? task.title : `^${task.blockId}`;
      const repetition = repetitions.get(name) ?? 0;
      repetitions.set(name, repetition + 1);
      this.#addTask(task, taskNodeId(this.#id, name, repetition));
    }
  }

  #addTask(task: LocatedTask, id: string): void {
    const key = `${this.#key}/${id}`;
    const { done, due } = task;
    this.#nodes.push({
      ...this.#node(key, id, task.title),
      type: 'task',
      tags: [],
      task: { done, due },
      provenance: this.#provenance(task),
    });
    this.#add('part_of', key, this.#key, WEIGHTS.task, `a task${where(task)}`, task);
  }

  #node(key: NodeKey, id: string, title: string): NodeDraft {
    const { id: record, project, tags, source, origin } = this.#parts.record;
    const isSourced = origin === 'vault' || origin === 'source';
    return {
      ...{ key, id, type: 'note', title, project, tags, record, source: isSourced ? source : null },
      ...{ sharesIdentity: false, task: null, provenance: this.#provenance(null) },
    };
  }

  #share(id: string, type: 'project' | 'concept', title: string): void {
    const { project } = this.#parts.record;
    const fields = { key: id, id, type, title, project, tags: [], record: null, source: null } as const;
    this.#shared.push({ ...fields, sharesIdentity: false, task: null, provenance: null });
  }

  #add(
    type: EdgeType,
    src: NodeKey,
    dst: NodeKey,
    weight: number,
    reason: string,
    place: Place | null,
  ): void {
    const key = JSON.stringify([src, type, dst]);
    if (this.#edges.has(key)) return;
    this.#edges.set(key, { src, dst, type, weight, reason, provenance: this.#provenance(place) });
  }

  #provenance(place: Place | null): GraphProvenance {
    const { record, passages } = this.#parts;
    if (place === null) return { record: record.id, passage: null, lines: null, hash: record.contentHash };
    const { line, hash } = place;
    const passage = passages.find(({ startLine, endLine }) => startLine <= line && line <= endLine);
    return { record: record.id, passage: passage?.ordinal ?? null, lines: { first: line, last: line }, hash };
  }
}

function linkKey(target: string, embed: boolean): string {
  return `${embed ? '!' : ''}${target}`;
}

/** ` under ‘Oven’, line 31`. */
function where(place: Place | null): string {
  if (place === null) return '';
  const line = `line ${String(place.line)}`;
  if (place.inFrontMatter) return ` in its properties, ${line}`;
  return place.heading === null ? ` in ${line}` : ` under ‘${place.heading}’, ${line}`;
}

/** Weights have three decimals, so that they are the same everywhere and short. */
export function rounded(weight: number): number {
  return Math.round(weight * 1000) / 1000;
}

/** The record in `record/12`, the citation of a record that was written. */
function citedRecord(value: unknown): number | null {
  const id = typeof value === 'string' ? /^record\/(\d{1,15})$/.exec(value)?.[1] : undefined;
  return id === undefined ? null : Number(id);
}

const MAX_TITLE_LENGTH = 100;

/** A title for a record that has none. */
function firstLine(content: string, key: string | null): string {
  const line = content
    .slice(0, 10 * MAX_TITLE_LENGTH)
    .split('\n')
    .find((each) => each.trim() !== '');
  const title = line?.trim() ?? '';
  if (title.length <= MAX_TITLE_LENGTH) return (title === '' ? (key ?? '') : title).toWellFormed();
  // Half of a credential would not be recognised where credentials are masked.
  const whole = title
    .slice(0, MAX_TITLE_LENGTH + 1)
    .replace(/[!-~]+$/, '')
    .trim();
  return (whole === '' ? (key ?? '') : whole.slice(0, MAX_TITLE_LENGTH)).toWellFormed();
}

/** The state of a document that is a task. Its time is when it is due, read in the time zone of this machine. */
function taskStateOf({ metadata, createdAt, origin }: LociRecord): TaskState {
  const hasDate = origin === 'source' && metadata['undated'] !== true;
  return { done: metadata['completed'] === true, due: hasDate ? dayText(createdAt) : null };
}
