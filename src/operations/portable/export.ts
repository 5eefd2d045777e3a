import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { exportLines, exportPage, exportToFile, type ExportCounts } from '../../engine/portable/export.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import { requireLocalIo } from '../shared/local-io.ts';
import type { LocalIo, Operation } from '../operation.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { ITEM_TYPE_NAMES, type ItemTypeName } from '../../engine/portable/items/import-report.ts';

const input = z.strictObject({
  to: localPath()
    .exactOptional()
    .describe('The file to write; `-` is standard output. It appears when it is complete.'),
  force: z.boolean().exactOptional().describe('Replace an existing file.'),
  after: z.string().max(1000).exactOptional().describe('`next` of the previous page.'),
});

const output = z.strictObject({
  lines: z.string().nullable().describe('JSON Lines; null when they were written to a file.'),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
  to: z.string().nullable().describe('The file that was written.'),
  counts: z
    .strictObject(
      Object.fromEntries(
        ['deleted', ...ITEM_TYPE_NAMES].map((name) => [name, z.number().int().nonnegative()]),
      ) as Record<ItemTypeName | 'deleted', z.ZodNumber>,
    )
    .nullable()
    .describe('How many items of each type were written to a file, and how many of the records are deleted.'),
  took_ms: tookMs(),
});
export type ExportOutput = z.infer<typeof output>;

export const exportMemoryOperation: Operation<typeof input, typeof output> = {
  name: 'export',
  title: 'Export everything',
  description:
    'Exports the whole memory: records of every origin, deleted ones included, facts that have not expired, startup ' +
    'entries, marked receipts, the audit log and runs. JSON Lines come page by page; the `lines` of all pages, concatenated, are one ' +
    'export, which `import` reads with nothing lost. docs/export-format.md describes the format.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  localFields: ['to', 'force'],
  tool: 'memory_export',
  examples: [
    { title: 'Everything in one file', input: { to: '~/memory.jsonl' } },
    { title: 'Into another program', input: { to: '-' } },
    { title: 'The first page', input: {} },
  ],
  run: async (context, input) => {
    const started = performance.now();
    const { to, force = false, after } = input;
    if (to === undefined) {
      if (input.force !== undefined) throw new LociError('invalid_input', '`force` needs `to`');
      const page = await exportPage(await context.loci(), after);
      return { ...page, to: null, counts: null, took_ms: millisecondsSince(started) };
    }
    const machine = requireLocalIo(context, 'to');
    if (after !== undefined)
      throw new LociError('invalid_input', '`after` asks for a page, but `to` writes everything');
    const path = to === '-' ? to : resolve(expandHome(to));
    const loci = await context.loci();
    const { signal, onProgress } = context;
    const options = { signal, onProgress, force };
    const counts =
      path === '-'
        ? await print(machine, exportLines(loci, options))
        : await exportToFile(loci, path, options);
    return { lines: null, next: null, to: path, counts, took_ms: millisecondsSince(started) };
  },
};

async function print(
  machine: LocalIo,
  batches: AsyncGenerator<readonly string[], ExportCounts>,
): Promise<ExportCounts> {
  if (machine.writeOutput === undefined)
    throw new LociError('invalid_input', '`-` is only for the command line', { hint: 'Name a file.' });
  for (;;) {
    const { done, value } = await batches.next();
    if (done === true) return value;
    for (const line of value) await machine.writeOutput(`${line}\n`);
  }
}
