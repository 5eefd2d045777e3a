import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/hash.ts';
import type { LociRecord, Metadata } from '../../../core/types.ts';
import { uuidv7 } from '../../../core/uuid.ts';
import { noteDate } from '../../../sources/files/dates.ts';
import type { EngineContext } from '../../context.ts';
import { assertNotAborted } from '../../../core/long-call.ts';
import { lowerTrust } from '../../access/permission.ts';
import { fitRecord } from '../import-fitness.ts';
import type { Planned } from '../import-records.ts';
import type { ImportReport } from '../import-report.ts';
import type { ImportOptions, ImportRun } from '../import-run.ts';
import { Keys, placeOf, assertImportablePath } from './keys.ts';
import { hashOf, markOf, matched, type Match } from './match.ts';
import { piecesOf, type Piece, type Points } from './pieces.ts';
import { importStartupFiles, STARTUP_FILES } from './startup.ts';
import type { PortableRecord } from '../portable-record.ts';
import type { TextFiles } from '../text-files.ts';

/** Which shelf the records of a file stand on. */
const SHELVES: Readonly<Record<string, string>> = { 'MEMORY.md': 'memory', 'USER.md': 'user' };
const DAILY = 'daily';
/** What lasts is a list of things; what is said of the user belongs together. */
const POINTS: Readonly<Record<string, Points>> = { 'MEMORY.md': 'all', 'USER.md': 'none' };

/** What of an OpenClaw workspace is memory; the rest of it is nobody's business. */
export function isOfWorkspace(path: string): boolean {
  if (path in SHELVES || path in STARTUP_FILES || path === 'memory') return true;
  if (!path.startsWith('memory/')) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return !name.startsWith('.') && (name.endsWith('.md') || !name.includes('.'));
}

interface Taking {
  readonly options: ImportOptions;
  readonly report: ImportReport;
  /** Whose workspace it is. */
  readonly agent: string;
}

/** The files of an agent become records and startup entries; what changed in them since the last import follows. */
export async function importWorkspace(
  context: EngineContext,
  run: ImportRun,
  files: TextFiles,
  { options, report, agent }: Taking,
): Promise<void> {
  const wanted = files.paths.filter((path) => isOfWorkspace(path) && path.endsWith('.md'));
  if (wanted.length === 0)
    throw new LociError(
      'invalid_input',
      `${files.name} is neither an export nor the folder of an OpenClaw agent`,
      {
        hint: 'Such a folder has MEMORY.md, USER.md, memory/*.md, SOUL.md, IDENTITY.md or AGENTS.md.',
      },
    );
  const source = agent === '' ? 'openclaw' : `openclaw:${agent}`;
  await refuseOtherFolder(context, files, source, options);
  const texts = wanted.filter((path) => !(path in STARTUP_FILES));
  const workspace = new Workspace(context, run, report, options, source);
  const gone = files.root === null ? [] : await workspace.filesGone(texts);
  for (const [i, path] of [...texts, ...gone].entries()) {
    assertNotAborted(options);
    await workspace.take(path, i < texts.length ? files : null);
    options.onProgress?.({
      stage: 'reading',
      subject: files.name,
      done: i + 1,
      total: texts.length + gone.length,
    });
  }
  await importStartupFiles(context, run, files, { report, agent });
  if (files.root !== null && !options.dryRun)
    await context.store.changeSourceState(context.namespace, `import:${source}`, {
      readAt: context.now(),
      root: files.root,
    });
}

/** Another agent's folder under the same name would take out what came from this one's. */
async function refuseOtherFolder(
  { store, namespace }: EngineContext,
  { root, name }: TextFiles,
  source: string,
  { overwrite }: ImportOptions,
): Promise<void> {
  const before = (await store.sourceStates(namespace)).get(`import:${source}`)?.root ?? null;
  if (root === null || before === null || before === root || overwrite) return;
  throw new LociError('conflict', `what is remembered as ${source} came from ${before}, not from ${name}`, {
    hint: 'Name another agent with --agent, or say with --overwrite that the folder moved.',
  });
}

class Workspace {
  readonly #context: EngineContext;
  readonly #run: ImportRun;
  readonly #report: ImportReport;
  readonly #options: ImportOptions;
  readonly #source: string;

  constructor(
    context: EngineContext,
    run: ImportRun,
    report: ImportReport,
    options: ImportOptions,
    source: string,
  ) {
    this.#context = context;
    this.#run = run;
    this.#report = report;
    this.#options = options;
    this.#source = source;
  }

  /** Files that records came from and that are there no more. */
  async filesGone(here: readonly string[]): Promise<string[]> {
    const known = new Set<string>();
    for await (const { key } of this.#held('', false)) known.add(key?.split('#')[0] ?? '');
    return [...known].filter((path) => !here.includes(path)).sort();
  }

  /** One file, or what is left of one that is gone. */
  async take(path: string, files: TextFiles | null): Promise<void> {
    try {
      if (files !== null) await assertImportablePath(this.#context, path);
      const text = files === null ? '' : await files.read(path, 'plain');
      const cut = piecesOf(text, POINTS[path] ?? 'untitled');
      if (cut.length > MOST_PIECES)
        throw new LociError(
          'invalid_input',
          `it tells of ${String(cut.length)} things: at most ${String(MOST_PIECES)} fit in a file`,
        );
      const pieces = await this.#fit(path, cut);
      const held: LociRecord[] = [];
      for (const deleted of [false, true])
        for await (const record of this.#held(`${path}#`, deleted)) held.push(record);
      const createdAt = await this.#timeOf(path, files);
      const keys = new Keys(held);
      const planned: Planned[] = [];
      for (const match of matched(pieces, held)) {
        // What may not be here was perhaps only edited: its former state is no more gone than it is new.
        if (match.piece === null && pieces.length < cut.length) continue;
        const plan = await this.#plan(path, match, keys, createdAt);
        if (plan !== null) planned.push(plan);
      }
      for (let start = 0; start < planned.length; start += BATCH)
        await this.#run.records.put(planned.slice(start, start + BATCH));
    } catch (error) {
      if (!(error instanceof LociError) || !REFUSALS.includes(error.code)) throw error;
      this.#report.refuse(this.#report.records, path, error);
    }
  }

  async *#held(keyPrefix: string, deleted: boolean): AsyncGenerator<LociRecord> {
    const { store, namespace, now } = this.#context;
    const filter = { now: now(), origins: ['memory' as const], sources: [this.#source], keyPrefix, deleted };
    for (let after: number | null = null; ;) {
      const page = await store.listRecords(namespace, filter, { after, limit: BATCH });
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  /** Pieces as they may be kept. */
  async #fit(path: string, pieces: readonly Piece[]): Promise<Piece[]> {
    const fit: Piece[] = [];
    for (const piece of pieces) {
      assertNotAborted(this.#options);
      try {
        const { thing, masked } = await fitRecord(this.#context, this.#recordOf(path, piece, '', 0));
        // A heading may be what has the secret.
        this.#report.mask(path, masked);
        const { heading = '' } = thing.metadata as { readonly heading?: string };
        fit.push({ ...piece, heading, content: thing.content });
      } catch (error) {
        if (!(error instanceof LociError)) throw error;
        // The heading may be what has the secret.
        const isNamed = piece.heading !== '' && error.code !== 'secret_refused';
        this.#report.refuse(this.#report.records, isNamed ? `${path} › ${piece.heading}` : path, error);
      }
    }
    return fit;
  }

  async #timeOf(path: string, files: TextFiles | null): Promise<number> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const changed = files === null ? null : await files.changedAt(path);
    return noteDate({}, name)?.timestamp ?? changed ?? this.#context.now();
  }

  /** What is to be done; `null` for nothing. */
  async #plan(path: string, match: Match, keys: Keys, createdAt: number): Promise<Planned | null> {
    const { piece, held } = match;
    const where = held?.key ?? path;
    if (piece === null) return held === null ? null : this.#removal(held);
    const chunking = await this.#context.chunking();
    if (held === null) {
      const record = this.#recordOf(path, piece, keys.unique(placeOf(path, piece)), createdAt);
      return { where: record.key ?? where, record, held, from: null, passages: await chunking.cut(record) };
    }
    const mark = markOf(held);
    // What was deleted here stays so, until the file says it anew.
    if (held.deletedAt !== null && !mark.removed) return this.#nothing();
    const isSame = mark.hash === hashOf(piece);
    if (isSame && mark.heading === piece.heading && held.deletedAt === null) return this.#nothing();
    if (held.deletedAt === null && !isSame && this.#isKept(held)) return null;
    const { namespace: _, ...rest } = held;
    const next = this.#recordOf(path, piece, held.key ?? '', held.createdAt);
    const { title, metadata, trust } = next;
    const text = isSame ? held : next;
    const record: PortableRecord = {
      ...rest,
      content: text.content,
      contentHash: text.contentHash,
      title,
      trust: lowerTrust(held.trust, trust),
      // What was added to it here stays.
      metadata: { ...without(held.metadata, 'removed', 'heading'), ...metadata },
      deletedAt: null,
      updatedAt: Math.max(this.#context.now(), held.updatedAt + 1),
    };
    return { where, record, held, from: null, passages: await chunking.cut(record) };
  }

  #nothing(): null {
    this.#report.records.unchanged++;
    return null;
  }

  /** Whether it was changed here since it was imported, and so stays; the report then says so. */
  #isKept(held: LociRecord): boolean {
    const isUntouched = hashOf({ heading: '', kind: 'section', content: held.content }) === markOf(held).hash;
    if (isUntouched || this.#options.overwrite) return false;
    this.#report.records.kept++;
    this.#report.conflict(held.key ?? '', `record/${String(held.id)} was changed here, and so was the file`);
    return true;
  }

  #removal(held: LociRecord): Planned | null {
    if (this.#isKept(held)) return null;
    const { namespace: _, ...rest } = held;
    const deletedAt = this.#context.now();
    const metadata = { ...held.metadata, removed: true };
    const record = { ...rest, metadata, deletedAt, updatedAt: Math.max(deletedAt, held.updatedAt + 1) };
    return { where: held.key ?? '', record, held, from: null, passages: [] };
  }

  #recordOf(path: string, piece: Piece, key: string, createdAt: number): PortableRecord {
    const { config, caller } = this.#context;
    const now = this.#context.now();
    const { heading, content } = piece;
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
    const isDaily = path.startsWith('memory/');
    const title = isDaily && heading !== '' ? `${name} › ${heading}` : heading === '' ? name : heading;
    const metadata: Metadata = { file: path, ...(heading !== '' && { heading }), imported: hashOf(piece) };
    return {
      id: 0,
      uuid: uuidv7(now),
      project: config.project,
      origin: 'memory',
      source: this.#source,
      // Agents write these files.
      trust: lowerTrust('agent', caller.trust),
      key: key === '' ? null : key,
      identity: null,
      category: SHELVES[path] ?? DAILY,
      recordType: piece.kind === 'section' ? 'note' : 'fact',
      title: title.slice(0, TITLE_LENGTH),
      tags: [],
      content,
      metadata,
      createdAt,
      updatedAt: now,
      deletedAt: null,
      expiresAt: null,
      contentHash: sha256(content),
      revision: null,
    };
  }
}

/** Said of one file, and no reason not to go on with the next. */
const REFUSALS: readonly string[] = ['unreadable', 'invalid_input', 'secret_refused'];
const BATCH = 100;
const TITLE_LENGTH = 300;
/** Of a file. */
const MOST_PIECES = 10_000;

function without(metadata: Metadata, ...names: readonly string[]): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.includes(name)));
}
