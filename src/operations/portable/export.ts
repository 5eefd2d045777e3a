import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import type { Loci } from '../../engine/open.ts';
import type { ExportCounts } from '../../engine/portable/export-write.ts';
import { millisecondsSince, tookMs } from '../shared/durations.ts';
import { requireLocalIo } from '../shared/local-io.ts';
import type { LocalIo, Operation, OperationContext } from '../operation.ts';

export interface ExportInput {
  readonly to?: string;
  readonly format?: 'jsonl' | 'markdown';
  readonly force?: boolean;
  readonly after?: string;
}

export interface ExportOutput {
  readonly lines: string | null;
  readonly next: string | null;
  readonly to: string | null;
  readonly records: number | null;
  readonly deleted: number | null;
  readonly startup: number | null;
  readonly audit: number | null;
  readonly history: number | null;
  readonly took_ms: number;
}

const FORMATS = ['jsonl', 'markdown'] as const;

const counted = () => z.number().int().nonnegative().nullable();

export const exportMemory: Operation<ExportInput, ExportOutput> = {
  name: 'export',
  title: 'Export everything',
  description:
    'Gives the whole memory in a portable form: records of every origin with their deleted ones, facts that have not ' +
    'expired, startup entries, the audit log and runs. As JSON Lines, page by page: the `lines` of all pages in a row are ' +
    'one export, which `import` takes in with nothing lost. docs/export-format.md describes the format.',
  input: z.strictObject({
    to: z
      .string()
      .min(1)
      .exactOptional()
      .describe('The file or folder to write; `-` is standard output. It has its name once it is whole.'),
    format: z
      .enum(FORMATS)
      .exactOptional()
      .describe(
        '`jsonl`, JSON Lines in one file (unless given), or `markdown`, a folder with a file a record.',
      ),
    force: z.boolean().exactOptional().describe('Replace an earlier file or export.'),
    after: z.string().max(1000).exactOptional().describe('`next` of the page before.'),
  }),
  output: z.strictObject({
    lines: z.string().nullable().describe('JSON Lines; null where they were written to a file.'),
    next: z.string().nullable().describe('Where the next page begins; null at the end.'),
    to: z.string().nullable().describe('What was written.'),
    records: counted().describe('How many were written, deleted ones included.'),
    deleted: counted().describe('How many of them are deleted.'),
    startup: counted(),
    audit: counted(),
    history: counted(),
    took_ms: tookMs(),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  localFields: ['to', 'format', 'force'],
  tool: 'memory_export',
  examples: [
    { title: 'Everything in one file', input: { to: '~/memory.jsonl' } },
    { title: 'A folder of Markdown', input: { to: '~/memory', format: 'markdown' } },
    { title: 'Into another program', input: { to: '-' } },
    { title: 'The first page', input: {} },
  ],
  run: runExport,
};

async function runExport(context: OperationContext, input: ExportInput): Promise<ExportOutput> {
  const started = performance.now();
  const { to, format, force, after } = input;
  const given = (['format', 'force'] as const).find((field) => input[field] !== undefined);
  if (to === undefined) {
    if (given !== undefined) throw new LociError('invalid_input', `\`${given}\` needs \`to\``);
    const loci = await context.loci();
    const { lines, next } = await loci.portable.page(after);
    return { ...NOTHING_WRITTEN, lines, next, to: null, took_ms: millisecondsSince(started) };
  }
  const machine = requireLocalIo(context, 'to');
  if (after !== undefined)
    throw new LociError('invalid_input', '`after` is for pages, and `to` writes everything');
  const path = to === '-' ? to : resolve(expandHome(to));
  const counts = await written(context, machine, { path, format: format ?? 'jsonl', force: force ?? false });
  return { lines: null, next: null, to: path, ...counts, took_ms: millisecondsSince(started) };
}

const NOTHING_WRITTEN = { records: null, deleted: null, startup: null, audit: null, history: null };

async function written(
  context: OperationContext,
  machine: LocalIo,
  { path, format, force }: { path: string; format: string; force: boolean },
): Promise<ExportCounts> {
  const { portable } = await context.loci();
  const { signal, onProgress } = context;
  const options = { signal, onProgress, force };
  if (path !== '-')
    return format === 'markdown' ? portable.toFolder(path, options) : portable.toFile(path, options);
  if (format === 'markdown')
    throw new LociError('invalid_input', 'a folder of Markdown cannot go to standard output', {
      hint: 'Name a folder.',
    });
  return toOutput(portable, machine, options);
}

/** A page at a time. */
async function toOutput(
  portable: Loci['portable'],
  machine: LocalIo,
  options: Pick<OperationContext, 'signal' | 'onProgress'>,
): Promise<ExportCounts> {
  const lines = portable.lines(options);
  for (;;) {
    const { done, value } = await lines.next();
    if (done === true) return value;
    await machine.writeOutput(`${value}\n`);
  }
}
