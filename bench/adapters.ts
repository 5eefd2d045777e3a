import { execFile } from 'node:child_process';
import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tableLines } from '../eval/table.ts';
import { isStopWord } from '../src/core/text/stop-words.ts';
import { Corpus } from './corpus.ts';
import { bundleModule } from './fresh.ts';
import type { Measure, Section } from './report.ts';
import { quantile } from './timing.ts';

export interface AdapterBench {
  readonly notes: number;
  /** The provider of embeddings: `none` for words alone. */
  readonly provider: 'none' | 'local';
  /** The folder where `@lancedb/lancedb` is installed; beside Loci unless given. */
  readonly lancedb?: string | undefined;
  /** Processes that search, each with queries of its own. */
  readonly processes: number;
  readonly queries: number;
}

/** The adapters of Loci, and what a program would use without them. */
const SYSTEMS = ['filesystem', 'lancedb', 'loci', 'fts5', 'grep'] as const;

interface Figures {
  readonly indexMs: number;
  readonly diskMb: number;
  /** From the start of the program to the first answer, over all processes. */
  readonly coldMs: readonly number[];
  readonly warmMs: readonly number[];
  readonly rssMb: readonly number[];
}

/** Measures all systems on the same notes and queries, each in processes of its own, and prints what is left out. */
export async function measureAdapters(
  bench: AdapterBench,
  folder: string,
): Promise<{ readonly section: Section; readonly lines: readonly string[] }> {
  const notes = join(folder, 'notes');
  mkdirSync(notes, { recursive: true });
  const questions = writeNotes(bench, notes);
  const code = await bundleModule(new URL('../src/adapters/index.ts', import.meta.url), folder);
  const measured: [name: string, figures: Figures][] = [];
  for (const system of SYSTEMS) {
    const figures = await figuresOf(system, bench, {
      notes,
      code,
      questions,
      folder: join(folder, system),
    }).catch((error: unknown) => {
      if (system !== 'lancedb') throw error;
      console.log(`lancedb is left out: ${(error as { stderr?: string }).stderr ?? String(error)}\n`);
      return null;
    });
    if (figures !== null) measured.push([system, figures]);
  }
  const by = bench.provider === 'none' ? 'words alone' : 'with the local model';
  const title = `Adapters, ${bench.notes.toLocaleString('en')} notes, ${by}`;
  return {
    section: { title, measures: measured.flatMap(([system, figures]) => measuresOf(system, figures)) },
    lines: [title, ...tableLines([HEADINGS, ...measured.map(([system, figures]) => rowOf(system, figures))])],
  };
}

interface Question {
  readonly text: string;
  /** Its words without stop words, for the systems that have no analyzer. */
  readonly words: readonly string[];
}

/** Writes notes of two sections, 1.2 KB on average. Returns questions about them. */
function writeNotes({ notes, processes, queries }: AdapterBench, folder: string): Question[] {
  const corpus = new Corpus(1);
  const documents = [...corpus.documents(2 * notes)];
  for (let i = 0; i < notes; i++) {
    const [first, second] = [documents[2 * i]!, documents[2 * i + 1]!];
    const front = `---\ntags: [${first.tags.join(', ')}]\nstatus: ${i % 3 === 0 ? 'done' : 'open'}\n---\n`;
    const text = `# ${first.title}\n\n${first.body}\n\n## ${second.title}\n\n${second.body}\n`;
    writeFileSync(join(folder, `note-${String(i)}.md`), front + text);
  }
  return corpus.queries(processes * queries).map(({ text }) => ({
    text,
    words: text.split(' ').filter((word) => !isStopWord(word)),
  }));
}

interface Task {
  readonly notes: string;
  readonly code: string;
  readonly questions: readonly Question[];
  /** Where the system has its data. */
  readonly folder: string;
}

async function figuresOf(
  system: (typeof SYSTEMS)[number],
  { provider, lancedb, processes, queries }: AdapterBench,
  { questions, ...task }: Task,
): Promise<Figures> {
  mkdirSync(task.folder, { recursive: true, mode: 0o700 });
  const settings = {
    memory: { adapter: system },
    embedding: { provider },
    adapters: { deadline: 0, ...(lancedb !== undefined && { lancedb: { package: lancedb } }) },
  };
  const run = (part: object): Promise<unknown> =>
    runProcess(task.folder, { ...task, system, settings, ...part });
  const { indexMs } = (await run({ phase: 'index' })) as { indexMs: number };
  const found: { coldMs: number; warmMs: number[]; rssMb: number }[] = [];
  for (let i = 0; i < processes; i++)
    found.push(
      (await run({
        phase: 'search',
        queries: questions.slice(i * queries, (i + 1) * queries),
      })) as (typeof found)[number],
    );
  return {
    indexMs,
    diskMb: diskBytes(task.folder) / 1e6,
    coldMs: found.map(({ coldMs }) => coldMs),
    warmMs: found.flatMap(({ warmMs }) => warmMs),
    rssMb: found.map(({ rssMb }) => rssMb),
  };
}

async function runProcess(folder: string, task: object): Promise<unknown> {
  const file = `${folder}.json`;
  writeFileSync(file, JSON.stringify(task));
  const script = fileURLToPath(new URL('./adapter-process.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, file], { encoding: 'utf8' });
  return JSON.parse(stdout);
}

function diskBytes(folder: string): number {
  const entries = globSync('**/*', { cwd: folder }).map((path) => statSync(join(folder, path)));
  return entries.reduce((bytes, entry) => bytes + (entry.isFile() ? entry.size : 0), 0);
}

const HEADINGS = ['', 'index, s', 'disk, MB', 'cold p50', 'p95, ms', 'warm p50', 'p95, ms', 'RSS, MB'];

function rowOf(system: string, { indexMs, diskMb, coldMs, warmMs, rssMb }: Figures): string[] {
  const times = [coldMs, warmMs].flatMap((times) => [quantile(times, 0.5), quantile(times, 0.95)]);
  return [
    system,
    (indexMs / 1000).toFixed(1),
    diskMb.toFixed(1),
    ...times.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)),
    quantile(rssMb, 0.5).toFixed(0),
  ];
}

function measuresOf(system: string, { indexMs, diskMb, coldMs, warmMs, rssMb }: Figures): Measure[] {
  const what = (figure: string): string => `${system}, ${figure}`;
  return [
    { what: what('index'), unit: 'ms', ours: indexMs },
    { what: what('disk'), unit: 'MB', ours: diskMb },
    { what: what('cold p50'), unit: 'ms', ours: quantile(coldMs, 0.5) },
    { what: what('cold p95'), unit: 'ms', ours: quantile(coldMs, 0.95) },
    { what: what('warm p50'), unit: 'ms', ours: quantile(warmMs, 0.5) },
    { what: what('warm p95'), unit: 'ms', ours: quantile(warmMs, 0.95) },
    { what: what('memory'), unit: 'MB', ours: quantile(rssMb, 0.5) },
  ];
}
