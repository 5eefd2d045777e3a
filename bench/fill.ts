import { ADMIN_NAMESPACE } from '../src/store/rules/admin-namespace.ts';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '../src/store/registry.ts';
import type { Store } from '../src/store/store.ts';
import { Corpus, type BenchQuery, type Document } from './corpus.ts';
import { CHUNKING, draftOf, passageHash } from './drafts.ts';
import { PlainSearch } from './plain.ts';
import { DIMENSIONS } from './vector-model.ts';

/** A filled store and the data to compare it with. */
export interface BenchStore {
  readonly path: string;
  readonly plainPath: string;
  readonly queries: readonly BenchQuery[];
  /** Documents of the same kind that the store does not contain. */
  readonly unwritten: readonly Document[];
  /** Unit vectors of a namespace, one after the other. The vector of record n begins at (n − 1) × 384. */
  exactVectors(namespace: string): Float32Array;
}

export interface FillOptions {
  readonly passages: number;
  readonly namespaces: number;
  readonly report: (done: number, total: number) => void;
}

const BATCH_SIZE = 500;
const QUERY_COUNT = 200;
const UNWRITTEN_COUNT = 6000;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, '.cache', 'bench');
/** The files that determine the content of a filled store. If one changes, stores are filled again. */
const CONTENT_FILES = [
  'bench/{corpus,drafts,fill,plain,random,vector-model,words}.ts',
  'src/core/text/*.ts',
  'src/store/lexical/text-fields.ts',
  'src/store/sqlite/{text/posting-cache,vectors/codes}.ts',
  'src/store/sqlite/migrations/*.sql',
];

/** Returns a filled store from the cache, or fills one through the store's interface. */
export async function benchStore(options: FillOptions): Promise<BenchStore> {
  const kind = `${String(options.passages)}-${String(options.namespaces)}-`;
  const folder = join(CACHE, `${kind}${fingerprint()}`);
  if (!existsSync(folder)) {
    // Stores of other versions of these files, and partly filled ones, are not used again.
    for (const stale of globSync(`${kind}*`, { cwd: CACHE })) rmSync(join(CACHE, stale), { recursive: true });
    await fill(folder, options);
  }
  const queries = (
    JSON.parse(readFileSync(join(folder, 'queries.json'), 'utf8')) as Stored<BenchQuery>[]
  ).map(withVector);
  const unwritten = (
    JSON.parse(readFileSync(join(folder, 'unwritten.json'), 'utf8')) as Stored<Document>[]
  ).map(withVector);
  return {
    path: join(folder, 'loci.db'),
    plainPath: join(folder, 'plain.db'),
    queries,
    unwritten,
    exactVectors: (namespace) => floats(readFileSync(join(folder, `${namespace}.f32`))),
  };
}

async function fill(folder: string, options: FillOptions): Promise<void> {
  const partial = `${folder}.partial`;
  mkdirSync(partial, { recursive: true });
  const corpus = new Corpus(options.namespaces);
  const store = await openStore({ path: join(partial, 'loci.db') }, { create: true });
  const plain = new PlainSearch(join(partial, 'plain.db'));
  try {
    const generation = await store.vectors.setGeneration(ADMIN_NAMESPACE, {
      add: {
        provider: 'bench',
        model: 'synthetic',
        dimensions: DIMENSIONS,
      },
    });
    await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: generation.id });
    const write = async (documents: readonly Document[]): Promise<void> => {
      await addRecords(store, generation.id, documents);
      plain.add(documents);
      for (const { namespace, vector } of documents)
        appendFileSync(join(partial, `${namespace}.f32`), bytes(vector));
    };
    await writeInBatches(corpus.documents(options.passages), write, options);
    // Indexing a vault also ends with `compact`.
    for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE))
      await store.admin.compact(namespace);
  } finally {
    await store.close();
    plain.close();
  }
  const serialize = <Kind extends { readonly vector: Float32Array }>(items: Iterable<Kind>): string =>
    JSON.stringify([...items].map((item) => ({ ...item, vector: bytes(item.vector).toString('base64') })));
  writeFileSync(join(partial, 'queries.json'), serialize(corpus.queries(QUERY_COUNT)));
  writeFileSync(join(partial, 'unwritten.json'), serialize(corpus.documents(UNWRITTEN_COUNT)));
  renameSync(partial, folder);
}

/** Groups documents into batches of one namespace, because a commit belongs to one namespace. */
async function writeInBatches(
  documents: Iterable<Document>,
  write: (documents: readonly Document[]) => Promise<void>,
  { passages, report }: FillOptions,
): Promise<void> {
  const batches = new Map<string, Document[]>();
  let done = 0;
  const flush = async (namespace: string, batch: readonly Document[]): Promise<void> => {
    batches.delete(namespace);
    await write(batch);
    done += batch.length;
    report(done, passages);
  };
  for (const document of documents) {
    const batch = batches.get(document.namespace) ?? [];
    batches.set(document.namespace, batch);
    batch.push(document);
    if (batch.length === BATCH_SIZE) await flush(document.namespace, batch);
  }
  for (const [namespace, batch] of [...batches]) await flush(namespace, batch);
}

async function addRecords(store: Store, generation: number, documents: readonly Document[]): Promise<void> {
  const namespace = documents[0]!.namespace;
  await store.records.commit(namespace, {
    writes: documents.map(draftOf),
    evictions: [],
    chunking: CHUNKING,
  });
  const vectors = documents.map((document) => ({
    hash: passageHash(document),
    vector: document.vector,
  }));
  await store.vectors.put(namespace, generation, vectors);
}

type Stored<Kind> = Omit<Kind, 'vector'> & { readonly vector: string };

function withVector<Kind>(stored: Stored<Kind>): Kind {
  return { ...stored, vector: floats(Buffer.from(stored.vector, 'base64')) } as Kind;
}

function bytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

function floats(buffer: Buffer): Float32Array {
  return new Float32Array(Uint8Array.from(buffer).buffer);
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of globSync(CONTENT_FILES, { cwd: ROOT }).sort())
    hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 8);
}
