import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findSets, HOUSEHOLD } from '../../eval/find-sets.ts';
import { type EvalDocument, type EvalQuery, loadSet } from '../../eval/sets.ts';

/** The set whose notes and queries are used, and one that adds notes which no query is about. */
const [SET, FILLER] = ['obsidian_en', 'hotpot100'];

/** The files of a workspace and queries about them. */
export interface Notes {
  readonly set: string;
  /** The text of each note, by its path below `memory/`. */
  readonly files: ReadonlyMap<string, string>;
  readonly queries: readonly NoteQuery[];
}

export interface NoteQuery {
  readonly text: string;
  /** The paths of the relevant notes. */
  readonly gold: readonly string[];
  /** The note that has the query as a sentence, which counts as no result. */
  readonly madeFrom: string | null;
}

/** Notes and queries of the development set of a vault; without it, those of this repository. */
export function loadNotes(limits: { readonly files: number; readonly queries: number }): Notes {
  const sets = findSets();
  const named = (name: string): string | undefined =>
    sets.find((file) => basename(file).startsWith(`${name}.json`));
  const main = named(SET);
  const filler = main === undefined ? undefined : named(FILLER);
  const { name, collections } = loadSet(main ?? HOUSEHOLD);
  const collection = collections[0]!;
  const files = new Map<string, string>();
  const paths = new Map<string, string>();
  for (const doc of collection.docs) {
    const path = freePath(files, doc);
    paths.set(doc.id, path);
    files.set(path, doc.text);
  }
  const others = filler === undefined ? [] : loadSet(filler).collections.flatMap(({ docs }) => docs);
  for (const doc of others.slice(0, Math.max(0, limits.files - files.size)))
    files.set(freePath(files, doc), doc.text);
  const queryOf = ({ q, gold, src }: EvalQuery): NoteQuery => ({
    text: q,
    gold: gold.map((id) => paths.get(id)!),
    madeFrom: src === undefined ? null : (paths.get(src) ?? null),
  });
  const answered = collection.queries.filter(({ gold }) => gold.length > 0);
  return { set: name, files, queries: spread(answered, limits.queries).map(queryOf) };
}

/** Writes the notes into the folder in which OpenClaw's memory looks for them. */
export function writeNotes({ files }: Notes, workspace: string): void {
  for (const [path, text] of files) {
    const file = join(workspace, 'memory', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** At most `count` items at equal distances, with different texts. */
function spread(queries: readonly EvalQuery[], count: number): EvalQuery[] {
  const different = [...new Map(queries.map((query) => [query.q, query])).values()];
  const step = Math.max(1, different.length / count);
  return Array.from(
    { length: Math.min(count, different.length) },
    (_, i) => different[Math.floor(i * step)]!,
  );
}

/** The path of a document that has one, else a file named after its title, as in a vault. */
function freePath(files: ReadonlyMap<string, string>, { path, title, id }: EvalDocument): string {
  if (path !== undefined) return path;
  const name = (title ?? id).replaceAll(/[/\\:]/g, '-');
  return files.has(`${name}.md`) ? `${name} (${id}).md` : `${name}.md`;
}

/** The share of relevant notes among the first results, without the note that the query was made from. */
export function recallAt(count: number, { gold, madeFrom }: NoteQuery, found: readonly string[]): number {
  const first = new Set([...new Set(found)].filter((path) => path !== madeFrom).slice(0, count));
  return gold.filter((path) => first.has(path)).length / Math.min(count, gold.length);
}
