/** Loads LanceDB, which is no dependency of Loci: it has 200 MB, and a native library for each platform. */

import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LociError, messageOf } from '../../core/errors.ts';
import { shellWord } from '../../core/text/split-command.ts';
import { isWithin } from '../../sources/files/paths.ts';

/** The part of LanceDB that is used. */
export interface Lancedb {
  connect(
    folder: string,
    options: { readonly readConsistencyInterval: number },
    session: object,
  ): Promise<Connection>;
  /** Caches of these sizes in bytes. */
  readonly Session: new (indexCache: bigint, metadataCache: bigint) => object;
  readonly Index: { fts(options: Readonly<Record<string, unknown>>): unknown };
  readonly MatchQuery: new (text: string, column: string, options?: { readonly boost: number }) => object;
  readonly BooleanQuery: new (queries: readonly (readonly [occur: unknown, query: object])[]) => object;
  readonly Occur: { readonly Should: unknown };
}

export interface Connection {
  openTable(name: string): Promise<LanceTable>;
  createEmptyTable(name: string, schema: ArrowSchema): Promise<LanceTable>;
}

export interface LanceTable {
  schema(): Promise<ArrowSchema>;
  add(data: ArrowTable): Promise<unknown>;
  delete(where: string): Promise<unknown>;
  countRows(where?: string): Promise<number>;
  createIndex(column: string, options: { readonly config: unknown }): Promise<void>;
  indexStats(name: string): Promise<{ numIndexedRows: number; numUnindexedRows: number } | undefined>;
  listVersions(): Promise<unknown[]>;
  optimize(options: { readonly cleanupOlderThan: Date }): Promise<unknown>;
  query(): LanceQuery;
  vectorSearch(vector: Float32Array): LanceQuery & { distanceType(type: 'dot'): LanceQuery };
  mergeInsert(columns: readonly string[]): MergeInsert;
  close(): void;
}

/** Rows in batches. */
export interface LanceQuery extends AsyncIterable<ArrowBatch> {
  fullTextSearch(query: object): LanceQuery;
  where(condition: string): LanceQuery;
  select(columns: readonly string[]): LanceQuery;
  limit(count: number): LanceQuery;
}

export interface MergeInsert {
  whenMatchedUpdateAll(): MergeInsert;
  whenNotMatchedInsertAll(): MergeInsert;
  whenNotMatchedBySourceDelete(options: { readonly where: string }): MergeInsert;
  execute(data: ArrowTable): Promise<unknown>;
}

export interface ArrowBatch {
  readonly numRows: number;
  getChild(column: string): { get(row: number): unknown } | null;
}

type ArrowData = object;
type ArrowType = object;
export type ArrowTable = object;
export interface ArrowSchema {
  readonly fields: readonly { readonly name: string; readonly type: ArrowType }[];
}

/** The part of Apache Arrow that is used. */
export interface Arrow {
  readonly Schema: new (fields: readonly object[]) => ArrowSchema;
  readonly Field: new (name: string, type: ArrowType, nullable: boolean) => object;
  readonly Utf8: new () => ArrowType;
  readonly Int32: new () => ArrowType;
  readonly Float32: new () => ArrowType;
  readonly FixedSizeList: new (length: number, field: object) => ArrowType;
  readonly Struct: new (fields: readonly object[]) => ArrowType;
  readonly RecordBatch: new (schema: ArrowSchema, data: ArrowData) => object;
  readonly Table: new (batch: object) => ArrowTable;
  makeData(options: Readonly<Record<string, unknown>>): ArrowData;
  vectorFromArray(values: readonly unknown[], type: ArrowType): { readonly data: readonly [ArrowData] };
}

export interface LancedbPackage {
  readonly lancedb: Lancedb;
  readonly arrow: Arrow;
}

const NAME = '@lancedb/lancedb';
export const LANCEDB_VERSION = '0.39.0';
/** Its minor versions change the interface. */
const COMPATIBLE = /^0\.39\./;

/**
 * @param folder where it is installed; without it, it is looked for beside Loci
 * @param dataDir where the error proposes to install it, if no folder is given
 * @throws LociError `unsupported_runtime` that says how to install it
 */
export async function loadLancedb(folder: string | undefined, dataDir: string): Promise<LancedbPackage> {
  const place = folder ?? path.dirname(fileURLToPath(import.meta.url));
  const required = createRequire(path.join(place, 'from.js'));
  const failure = (why: string): LociError =>
    new LociError('unsupported_runtime', `${why}. ${installation(folder, dataDir)}`);
  let main: string;
  try {
    main = required.resolve(NAME);
    // Node looks in the folders above too, which the setting does not name.
    if (folder !== undefined && !isWithin(realpathSync(path.join(folder, 'node_modules', NAME)), main))
      throw new Error('it is in another folder');
  } catch {
    throw failure(`\`${NAME}\` is not installed ${folder === undefined ? 'beside Loci' : `in ${folder}`}`);
  }
  try {
    const version = versionOf(main);
    if (!COMPATIBLE.test(version))
      throw new Error(`its version is ${version}, and Loci needs ${LANCEDB_VERSION}`);
    // To load both at once would block the event loop for longer.
    const arrow = createRequire(main)('apache-arrow') as Arrow;
    await setImmediate();
    return { lancedb: required(NAME) as Lancedb, arrow };
  } catch (error) {
    throw failure(`\`${NAME}\` of ${path.dirname(main)} cannot be loaded: ${briefly(error)}`);
  }
}

function versionOf(main: string): string {
  const manifest = JSON.parse(readFileSync(path.join(path.dirname(main), '..', 'package.json'), 'utf8')) as {
    readonly version?: string;
  };
  return String(manifest.version);
}

/** Where an error was made, in the sources of LanceDB, and its causes, which repeat it. */
const DETAILS_OF_ERROR = /,? \/[^\s,]+\.rs:\d+:\d+|\s+Caused by:.*/g;
const MAX_MESSAGE_LENGTH = 200;
const END_LENGTH = 60;

/** The first line of the message of an error, without a period at its end. LanceDB adds places in its sources and stack traces. */
export function briefly(error: unknown): string {
  const [line = ''] = messageOf(error).split('\n', 1);
  const message = line.replaceAll(DETAILS_OF_ERROR, '').replace(/\.$/, '');
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  // What the system says is often at the end, behind a path.
  return `${message.slice(0, MAX_MESSAGE_LENGTH - END_LENGTH)}…${message.slice(-END_LENGTH)}`;
}

/**
 * What is installed. It names the native library of this platform, so that the other optional packages can be left out: two providers of
 * embeddings with 350 MB and install scripts, which Loci does not use.
 */
export const INSTALLED_PACKAGES: readonly string[] = [NAME, `${NAME}-${platform()}`].map(
  (name) => `${name}@${LANCEDB_VERSION}`,
);

function installation(folder: string | undefined, dataDir: string): string {
  const prefix = shellWord(folder ?? path.join(dataDir, 'lancedb-package'));
  const command = `npm install --prefix ${prefix} --omit=optional --ignore-scripts ${INSTALLED_PACKAGES.join(' ')}`;
  const setting = folder === undefined ? `, and set \`adapters.lancedb.package: ${prefix}\`` : '';
  return `Install it with \`${command}\`${setting}`;
}

/** As LanceDB names platforms: `linux-x64-gnu`, `darwin-arm64`. */
function platform(): string {
  const library = { linux: isMusl() ? '-musl' : '-gnu', win32: '-msvc' }[process.platform as string] ?? '';
  return `${process.platform}-${process.arch}${library}`;
}

/** As LanceDB finds it out. */
function isMusl(): boolean {
  try {
    return readFileSync('/usr/bin/ldd', 'utf8').includes('musl');
  } catch {
    return false;
  }
}
