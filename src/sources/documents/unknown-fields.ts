import type { DocumentMap } from '../../config/sources-schema.ts';
import { isJsonMap } from '../../core/json.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { Json } from '../../core/types.ts';
import type { DocumentProblem } from '../document.ts';
import { DONE, type Field, FIELDS, pathsOf } from './map-document.ts';

/** Names under which other programs print a field, in lower case and without separators. */
const SYNONYMS: Readonly<Record<Exclude<Field, 'completed'>, string>> = {
  id: 'uid uuid guid key identifier',
  text: 'body content contents description details note notes message task todo snippet',
  title: 'name subject heading headline summary',
  tags: 'tag label labels keyword keywords category categories',
  timestamp:
    'due dueat dueby dueon duedate duetime deadline date time datetime when start startat startdate starttime starts ' +
    'scheduled scheduledat sent sentat senton received receivedat published publishedat',
  project: 'projectname projectid',
  url: 'link href uri permalink htmlurl weburl webviewlink',
};
const COMPLETED = 'done isdone iscompleted complete iscomplete finished isfinished closed checked ischecked';
/** They say whether a task is done only if their values are words for that. */
const STATES: ReadonlySet<string> = new Set(['status', 'state']);
const NOT_DONE =
  /^(?:todo|to do|open|opened|pending|new|needs-?action|in[ _-]?progress|active|waiting|started)$/i;

const FIELD_BY_SYNONYM: ReadonlyMap<string, Field> = new Map(
  Object.entries({ ...SYNONYMS, completed: COMPLETED }).flatMap(([field, names]) =>
    names.split(' ').map((name) => [name, field as Field] as const),
  ),
);
const READ: ReadonlySet<string> = new Set([...FIELDS, 'metadata']);
/** A name that a template can contain. */
const TEMPLATE_NAME = /^[\w$-]{1,64}$/;
const MAX_NAME_LENGTH = 64;
/** Names that are counted. */
const MAX_NAMES = 200;
/** Names that are reported. */
const MAX_REPORTED = 10;

interface UnknownField {
  documents: number;
  /** The field that it seems to be, such as `timestamp` for `due`; `null` if every document prints that field too. */
  meant: Field | null;
  /** A value that says that a task is done. */
  done: string | null;
}

export interface ReadOptions {
  readonly map?: DocumentMap;
  /** The parts of a document that may be stored; all of them unless given. */
  readonly fields?: readonly string[];
  /** Whether the source may have a `map`. Default true. */
  readonly canMap?: boolean;
}

/**
 * Finds the fields of documents that Loci does not read, and suggests names for them. With a `map` or `fields`, a program may
 * print other fields on purpose: then a field is only found if it seems to be one that the documents lack.
 */
export class UnknownFieldFinder {
  readonly #unknown = new Map<string, UnknownField>();
  /** Names that a template reads. */
  readonly #mapped: ReadonlySet<string>;
  /** Fields that have a template, or may not be stored. */
  readonly #settled: ReadonlySet<Field>;
  readonly #onlyMeant: boolean;
  readonly #canMap: boolean;

  constructor({ map, fields, canMap = true }: ReadOptions) {
    this.#canMap = canMap;
    const { items: _, metadata = {}, ...templates } = map ?? {};
    const all = [...Object.entries(templates), ...Object.entries(metadata)];
    this.#mapped = new Set(
      all.flatMap(([key, text]) => pathsOf(`map.${key}`, text)).map((path) => path.split('.', 1)[0] ?? ''),
    );
    this.#settled = new Set(
      FIELDS.filter((field) => field in templates || fields?.includes(field) === false),
    );
    this.#onlyMeant = map !== undefined || fields !== undefined;
  }

  /** Takes a printed document into account. */
  add(value: unknown): void {
    if (!isJsonMap(value)) return;
    for (const [name, part] of Object.entries(value)) {
      if (READ.has(name) || part === null || this.#mapped.has(name)) continue;
      const meant = this.#meaning(name, part, value);
      if (this.#onlyMeant && meant === null) continue;
      const found = this.#unknown.get(name);
      if (found === undefined && this.#unknown.size >= MAX_NAMES) continue;
      this.#unknown.set(name, {
        documents: (found?.documents ?? 0) + 1,
        meant: found?.meant ?? meant,
        done: found?.done ?? (typeof part === 'string' && DONE.test(part) ? part : null),
      });
    }
  }

  #meaning(name: string, part: Json, document: { readonly [key: string]: Json }): Field | null {
    const word = name.toLowerCase().replaceAll(/[ _-]/g, '');
    const isState = STATES.has(word) && typeof part === 'string' && (DONE.test(part) || NOT_DONE.test(part));
    const field = isState ? 'completed' : FIELD_BY_SYNONYM.get(word);
    if (field === undefined || this.#settled.has(field)) return null;
    return (document[field] ?? null) === null ? field : null;
  }

  /** One for each field: first those that have a name in Loci, then the most frequent. */
  problems(): DocumentProblem[] {
    const sorted = [...this.#unknown].toSorted(
      ([, a], [, b]) => Number(b.meant !== null) - Number(a.meant !== null) || b.documents - a.documents,
    );
    const details = sorted.slice(0, MAX_REPORTED).map(([name, found]) => describe(name, found, this.#canMap));
    const others = sorted.length - details.length;
    if (others > 0) details.push(`Loci does not read ${formatCount(others, 'other field')} either`);
    return details.map((detail) => ({ index: null, id: null, detail, skipped: false }));
  }
}

function describe(name: string, { documents, meant, done }: UnknownField, canMap: boolean): string {
  const have = `${formatCount(documents, 'document')} ${documents === 1 ? 'has' : 'have'} it`;
  const key = meant ?? `metadata.${shown(name)}`;
  const template = canMap && TEMPLATE_NAME.test(name) ? `, or set map.${key}: '{{${name}}}'` : '';
  return `${shown(name)}: ${have}, but Loci does not read it; ${advice(meant, done)}${template}`;
}

function advice(meant: Field | null, done: string | null): string {
  if (meant === null) return 'put it into metadata';
  if (meant === 'completed' && done !== null) return `write "completed": true for ${JSON.stringify(done)}`;
  return `call it ${meant}`;
}

function shown(name: string): string {
  return name.toWellFormed().replaceAll(/\p{C}/gu, ' ').slice(0, MAX_NAME_LENGTH).trim();
}
