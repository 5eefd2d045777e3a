import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { exportToFile, exportToFolder } from '../../engine/portable/export/export-files.ts';
import { exportLines, exportPage, type ExportCounts } from '../../engine/portable/export/export-pages.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import { requireLocalIo } from '../shared/local-io.ts';
import type { LocalIo, Operation, OperationContext } from '../operation.ts';
import { localPath } from '../../engine/fields/record-fields.ts';

const count = () => z.number().int().nonnegative().nullable();

const input = z.strictObject({
  to: localPath()
    .exactOptional()
    .describe('The file or folder to write; `-` is standard output. It appears when it is complete.'),
  format: z
    .enum(['jsonl', 'markdown'])
    .exactOptional()
    .describe(
      '`jsonl` (default): JSON Lines in one file, which `import` reads. `markdown`: a folder with one file per record, ' +
        'for people to read.',
    ),
  force: z
    .boolean()
    .exactOptional()
    .describe('Replace an existing file, or the folder of an earlier export.'),
  after: z.string().max(1000).exactOptional().describe('`next` of the previous page.'),
});

const output = z.strictObject({
  lines: z.string().nullable().describe('JSON Lines; null when they were written to a file.'),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
  to: z.string().nullable().describe('The file or folder that was written.'),
  records: count().describe('How many records were written, deleted ones included.'),
  deleted: count().describe('How many of them are deleted.'),
  startup: count(),
  labels: count(),
  golden_queries: count(),
  audit: count(),
  history: count(),
  took_ms: tookMs(),
});
export type ExportOutput = z.infer<typeof output>;

export const exportMemoryOperation: Operation<typeof input, typeof output> = {
  name: 'export',
  title: 'Export everything',
  description:
    'Exports the whole memory: records of every origin, deleted ones included, facts that have not expired, startup ' +
    'entries, labels, golden queries, the audit log and runs. JSON Lines come page by page; the `lines` of all pages, concatenated, are one ' +
    'export, which `import` reads with nothing lost. docs/export-format.md describes the format.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  localFields: ['to', 'format', 'force'],
  tool: 'memory_export',
  examples: [
    { title: 'Everything in one file', input: { to: '~/memory.jsonl' } },
    { title: 'A folder of Markdown to read', input: { to: '~/memory', format: 'markdown' } },
    { title: 'Into another program', input: { to: '-' } },
    { title: 'The first page', input: {} },
  ],
  run: async (context, input) => {
    const started = performance.now();
    const { to, format = 'jsonl', force = false, after } = input;
    if (to === undefined) {
      const needsTo = (['format', 'force'] as const).find((field) => input[field] !== undefined);
      if (needsTo !== undefined) throw new LociError('invalid_input', `\`${needsTo}\` needs \`to\``);
      const loci = await context.loci();
      const { lines, next } = await exportPage(loci, after);
      return { ...NO_COUNTS, lines, next, to: null, took_ms: millisecondsSince(started) };
    }
    const machine = requireLocalIo(context, 'to');
    if (after !== undefined)
      throw new LociError('invalid_input', '`after` asks for a page, but `to` writes everything');
    const path = to === '-' ? to : resolve(expandHome(to));
    const counts = await writeExport(context, machine, { path, format, force });
    return { lines: null, next: null, to: path, ...counts, took_ms: millisecondsSince(started) };
  },
};

const NO_COUNTS = {
  records: null,
  deleted: null,
  startup: null,
  labels: null,
  golden_queries: null,
  audit: null,
  history: null,
};

async function writeExport(
  context: OperationContext,
  machine: LocalIo,
  { path, format, force }: { path: string; format: string; force: boolean },
): Promise<ExportCounts> {
  const loci = await context.loci();
  const { signal, onProgress } = context;
  const options = { signal, onProgress, force };
  if (path !== '-')
    return format === 'markdown' ? exportToFolder(loci, path, options) : exportToFile(loci, path, options);
  if (format === 'markdown')
    throw new LociError('invalid_input', 'a folder of Markdown cannot be written to standard output', {
      hint: 'Name a folder.',
    });
  if (machine.writeOutput === undefined)
    throw new LociError('invalid_input', '`-` is only for the command line', { hint: 'Name a file.' });
  const lines = exportLines(loci, options);
  for (;;) {
    const { done, value } = await lines.next();
    if (done === true) return value;
    await machine.writeOutput(`${value}\n`);
  }
}
