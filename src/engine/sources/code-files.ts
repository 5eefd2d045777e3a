import { readFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { isFile, isProgram } from './started-file.ts';

const CODE = new Set(
  '.js .mjs .cjs .ts .mts .cts .jsx .tsx .py .rb .pl .php .lua .sh .bash .zsh .fish .R .jar .awk .mk'.split(
    ' ',
  ),
);
/** What interpreters complete a name with. */
const ENDINGS = ['.js', '.json', '.node', '.mjs', '.cjs', '.ts', '.py', '.rb'];
/** What they begin with in a folder. */
const INDEXES = ['package.json', 'index.js', 'index.json', 'index.node', '__main__.py', '__init__.py'];
const LARGEST_PACKAGE = 1_000_000;
const MOST_EXPORTS = 100;

/** The file of a word that may be data: where it is code by its name, or can be run. */
export async function codeAmong(place: string): Promise<string[]> {
  if (await isFile(place)) return CODE.has(extname(place)) || (await isProgram(place)) ? [place] : [];
  return present(['.js', '.mjs', '.cjs', '.py'].map((ending) => place + ending));
}

/** What an interpreter may load by that name: the file, or the files that it completes the name to. */
export async function scriptsAt(place: string): Promise<string[]> {
  if (await isFile(place)) return [place];
  const named = [...ENDINGS.map((ending) => place + ending), ...INDEXES.map((name) => join(place, name))];
  const found = await present(named);
  const manifest = found.find((path) => basename(path) === 'package.json');
  if (manifest === undefined) return found;
  const entries = (await entriesOf(manifest)).map((entry) => resolve(place, entry));
  const loaded = await present(
    entries.flatMap((entry) => [entry, ...ENDINGS.map((ending) => entry + ending), join(entry, 'index.js')]),
  );
  return [...found, ...loaded];
}

/** `main`, and whatever `exports` names, under whichever condition. */
async function entriesOf(manifest: string): Promise<string[]> {
  try {
    const text = await readFile(manifest, 'utf8');
    if (text.length > LARGEST_PACKAGE) return [];
    const read = JSON.parse(text) as unknown;
    if (typeof read !== 'object' || read === null) return [];
    const { main, exports } = read as { readonly main?: unknown; readonly exports?: unknown };
    return [...(typeof main === 'string' ? [main] : []), ...pathsIn(exports)].slice(0, MOST_EXPORTS);
  } catch {
    // It counts as a file all the same.
    return [];
  }
}

function pathsIn(exports: unknown): string[] {
  const paths: string[] = [];
  JSON.stringify(exports, (_, value: unknown) => {
    if (typeof value === 'string' && value.startsWith('./')) paths.push(value);
    return value;
  });
  return paths;
}

async function present(places: readonly string[]): Promise<string[]> {
  const are = await Promise.all(places.map(isFile));
  return places.filter((_, i) => are[i]);
}
