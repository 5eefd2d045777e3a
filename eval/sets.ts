import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { LociError, messageOf } from '../src/core/errors.ts';
import { printedDocument, type PrintedDocument, sourceDocumentId } from './source-records.ts';

export interface EvalQuery {
  readonly id: string;
  readonly q: string;
  /** Ids of the relevant documents; empty when the collection has no answer. */
  readonly gold: readonly string[];
  readonly cat: string;
  /** The document that the query was made from, which is left out of the ranking. */
  readonly src?: string;
  /** When it was asked, in ISO 8601; at the time of the set unless given. */
  readonly now?: string;
  /** Ranking may be tuned on `dev` and `people-dev` only. */
  readonly half?: Half;
  /** Documents that a relevant one must stand above, such as the value that it has replaced. */
  readonly above?: readonly string[];
}

const HALVES = ['dev', 'test', 'people-dev', 'people-test'] as const;
export type Half = (typeof HALVES)[number];

interface WrittenDocument {
  readonly id: string;
  readonly text?: string;
  /** Makes it a Markdown note of a vault. Its text is `text`, else that of the file below the set's `root`. */
  readonly path?: string;
  readonly title?: string;
  readonly speaker?: string;
  readonly session?: string | number;
  /** BEAM's word for a session. */
  readonly batch?: string | number;
  readonly role?: string;
  readonly date?: string;
  readonly caption?: string;
}

export interface EvalDocument extends WrittenDocument {
  readonly text: string;
  /** Whether the text is a Markdown note of a vault, with the key `path`. */
  readonly note: boolean;
  /** For a document of a source: the name of the source, and the document as its command printed it. */
  readonly from?: { readonly source: string; readonly printed: PrintedDocument };
}

export interface EvalCollection {
  readonly id: string;
  readonly docs: readonly EvalDocument[];
  readonly queries: readonly EvalQuery[];
}

export interface EvalSet {
  readonly name: string;
  /** SHA-256 of the collections, hexadecimal. */
  readonly hash: string;
  /** The folder that documents' paths are relative to. */
  readonly root: string;
  /** The time of its queries; milliseconds since 1970. */
  readonly now?: number;
  readonly collections: readonly EvalCollection[];
}

interface WrittenSet {
  readonly name: string;
  readonly root?: string;
  readonly now?: string;
  readonly collections: readonly {
    readonly id: string;
    readonly docs: readonly WrittenDocument[];
    readonly sources?: Readonly<Record<string, readonly PrintedDocument[]>>;
    readonly queries: readonly EvalQuery[];
  }[];
}

const optionalString = () => z.string().exactOptional();
const optionalLabel = () => z.union([z.string(), z.number()]).exactOptional();

const document: z.ZodType<WrittenDocument> = z.object({
  id: z.string(),
  text: optionalString(),
  path: optionalString(),
  title: optionalString(),
  speaker: optionalString(),
  session: optionalLabel(),
  batch: optionalLabel(),
  role: optionalString(),
  date: optionalString(),
  caption: optionalString(),
});

const query: z.ZodType<EvalQuery> = z.object({
  id: z.string(),
  q: z.string(),
  gold: z.array(z.string()),
  cat: z.string(),
  src: optionalString(),
  now: z.iso.datetime().exactOptional(),
  half: z.enum(HALVES).exactOptional(),
  above: z.array(z.string()).exactOptional(),
});

/** A file beside a set, `NAME_stale.json` for `NAME.json.gz`: by query, the documents that a later one has replaced. */
const staleDocuments = z.record(z.string(), z.object({ old: z.array(z.string()) }));

const STALE = '_stale.json';

/** Whether the file is beside a set, and none itself. */
function isBesideSet(file: string): boolean {
  return file.endsWith(STALE);
}

const evalSet: z.ZodType<WrittenSet> = z.object({
  name: z.string(),
  root: optionalString(),
  now: z.iso.datetime().exactOptional(),
  collections: z
    .array(
      z.object({
        id: z.string(),
        docs: z.array(document).min(1),
        sources: z.record(z.string(), z.array(printedDocument)).exactOptional(),
        queries: z.array(query),
      }),
    )
    .min(1),
});

/**
 * Reads a `.json` or `.json.gz` set, and the notes that its documents name.
 * @throws LociError `invalid_input` that names the file and what is wrong with it
 */
export function loadSet(file: string): EvalSet {
  const parsed = evalSet.safeParse(readJson(file));
  if (!parsed.success)
    throw invalidSet(file, z.prettifyError(parsed.error).split('\n').slice(0, 4).join(' '));
  const { now } = parsed.data;
  const root = resolve(dirname(file), parsed.data.root ?? '.');
  const beside = file.replace(/\.json(\.gz)?$/, STALE);
  const stale = existsSync(beside) ? staleDocuments.parse(readJson(beside)) : {};
  const collections = parsed.data.collections.map(({ id, docs, sources = {}, queries }) => ({
    id,
    queries: queries.map((each) => ({ ...each, ...(stale[each.id] && { above: stale[each.id]!.old }) })),
    docs: [...docs.map((doc) => withText(file, root, doc)), ...documentsOf(sources)],
  }));
  for (const collection of collections) assertConsistent(file, collection);
  const hash = createHash('sha256').update(JSON.stringify(collections)).digest('hex');
  const name = parsed.data.name || basename(file).replace(/\.json(\.gz)?$/, '');
  return { name, hash, root, ...(now !== undefined && { now: Date.parse(now) }), collections };
}

/** The set without the documents of sources; `null` when there are none. */
export function withoutSources(set: EvalSet): EvalSet | null {
  if (!set.collections.some(({ docs }) => docs.some(isFromSource))) return null;
  const collections = set.collections.map(({ id, docs, queries }) => {
    const notes = docs.filter((doc) => !isFromSource(doc));
    const ids = new Set(notes.map((doc) => doc.id));
    const withoutGold = queries.map((query) => ({
      ...query,
      gold: query.gold.filter((gold) => ids.has(gold)),
    }));
    return { id, docs: notes, queries: withoutGold };
  });
  return { ...set, name: `${set.name}-without-sources`, collections };
}

export function isFromSource({ from }: EvalDocument): boolean {
  return from !== undefined;
}

function readJson(file: string): unknown {
  try {
    const bytes = readFileSync(file);
    return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  } catch (error) {
    throw invalidSet(file, messageOf(error));
  }
}

function withText(file: string, root: string, doc: WrittenDocument): EvalDocument {
  if (doc.text !== undefined) return { ...doc, text: doc.text, note: doc.path !== undefined };
  if (doc.path === undefined) throw invalidSet(file, `document ${doc.id} has neither text nor path`);
  try {
    return { ...doc, text: readFileSync(resolve(root, doc.path), 'utf8'), note: true };
  } catch (error) {
    throw invalidSet(file, `document ${doc.id}: ${messageOf(error)}`);
  }
}

function documentsOf(sources: NonNullable<WrittenSet['collections'][number]['sources']>): EvalDocument[] {
  return Object.entries(sources).flatMap(([source, documents]) =>
    documents.map((printed) => ({
      id: sourceDocumentId(source, printed.id),
      text: printed.text ?? '',
      ...(printed.title !== undefined && { title: printed.title }),
      note: false,
      from: { source, printed },
    })),
  );
}

/** Missing relevant documents and duplicate ids would silently lower the scores. */
function assertConsistent(file: string, { id, docs, queries }: EvalCollection): void {
  const documents = new Set<string>();
  for (const doc of docs) {
    if (documents.has(doc.id)) throw invalidSet(file, `collection ${id} has two documents ${doc.id}`);
    documents.add(doc.id);
  }
  const queryIds = new Set<string>();
  for (const query of queries) {
    if (queryIds.has(query.id)) throw invalidSet(file, `collection ${id} has two queries ${query.id}`);
    queryIds.add(query.id);
    const missing = [...query.gold, ...(query.above ?? [])].find((each) => !documents.has(each));
    if (missing !== undefined)
      throw invalidSet(
        file,
        `query ${query.id} names document ${missing}, which collection ${id} does not have`,
      );
  }
}

function invalidSet(file: string, problem: string): LociError {
  return new LociError('invalid_input', `cannot use the set ${file}: ${problem}`, {
    hint: 'The format of a set is described in eval/README.md.',
  });
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const HOUSEHOLD: string = join(ROOT, 'eval', 'sets', 'household.json');
export const AMBIENT: string = join(ROOT, 'eval', 'sets', 'ambient.json');
export const ABSENT: string = join(ROOT, 'eval', 'sets', 'absent.json');
export const NEWEST: string = join(ROOT, 'eval', 'sets', 'newest.json');
/** The sets of this repository. */
export const REPOSITORY_SETS: readonly string[] = [HOUSEHOLD, AMBIENT, ABSENT, NEWEST];
const DEFAULT_FOLDER = join(ROOT, '..', 'shared', 'eval', 'dev');

/** The names of sets whose questions need several documents. */
const MULTI_HOP = /musique|hotpot|2wiki/i;

/** The files of the sets that measure associative recall. */
export function findMultiHopSets(): string[] {
  return findSets().filter((file) => MULTI_HOP.test(file));
}

/**
 * The files of all sets: first those of this repository, then those of a folder, by name.
 * @throws LociError `invalid_input` when `LOCI_EVAL_DATA` names no folder, or one without sets
 */
export function findSets(environment: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const configured = environment['LOCI_EVAL_DATA'];
  if (configured === undefined || configured === '')
    return [...REPOSITORY_SETS, ...(existsSync(DEFAULT_FOLDER) ? setsIn(DEFAULT_FOLDER) : [])];
  const folder = resolve(configured);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new LociError('invalid_input', `LOCI_EVAL_DATA is not a folder: ${folder}`);
  }
  const sets = setsIn(folder);
  if (sets.length === 0) {
    throw new LociError('invalid_input', `LOCI_EVAL_DATA has no .json or .json.gz file: ${folder}`);
  }
  return [...REPOSITORY_SETS, ...sets];
}

function setsIn(folder: string): string[] {
  return globSync('*.{json,json.gz}', { cwd: folder })
    .filter((name) => !isBesideSet(name))
    .sort()
    .map((name) => join(folder, name));
}
