import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const document = z.object({
  id: z.string(),
  text: z.string().optional(),
  /** A file below the set's `root` that holds the text. */
  path: z.string().optional(),
  title: z.string().optional(),
  speaker: z.string().optional(),
  session: z.union([z.string(), z.number()]).optional(),
  batch: z.union([z.string(), z.number()]).optional(),
  role: z.string().optional(),
  date: z.string().optional(),
  caption: z.string().optional(),
});

const query = z.object({
  id: z.string(),
  q: z.string(),
  gold: z.array(z.string()),
  cat: z.string(),
  /** A document to leave out of the ranking: the one the query was made from. */
  src: z.string().optional(),
});

const evalSet = z.object({
  name: z.string(),
  root: z.string().optional(),
  collections: z.array(
    z.object({ id: z.string(), docs: z.array(document), queries: z.array(query) }),
  ),
});

export type EvalDocument = z.infer<typeof document> & { text: string };
export type EvalQuery = z.infer<typeof query>;

export interface EvalCollection {
  readonly id: string;
  readonly docs: readonly EvalDocument[];
  readonly queries: readonly EvalQuery[];
}

export interface EvalSet {
  readonly name: string;
  /** SHA-256 of everything in it, hexadecimal. */
  readonly hash: string;
  readonly collections: readonly EvalCollection[];
}

/** Reads a `.json` or `.json.gz` set; documents may name a file below `root` in place of a text. */
export function loadSet(file: string): EvalSet {
  const bytes = readFileSync(file);
  const json = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const parsed = evalSet.parse(JSON.parse(json));
  const root = resolve(dirname(file), parsed.root ?? '.');
  const collections = parsed.collections.map(({ id, docs, queries }) => ({
    id,
    queries,
    docs: docs.map((doc) => ({ ...doc, text: doc.text ?? readText(root, doc.path) })),
  }));
  const hash = createHash('sha256').update(JSON.stringify(collections)).digest('hex');
  return { name: parsed.name || basename(file), hash, collections };
}

function readText(root: string, path: string | undefined): string {
  if (path === undefined) throw new Error('a document has neither text nor path');
  return readFileSync(resolve(root, path), 'utf8');
}
