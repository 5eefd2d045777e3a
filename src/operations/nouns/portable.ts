import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { exportLines, exportPage, exportToFile, type ExportCounts } from '../../engine/portable/export.ts';
import {
  ITEM_TYPE_NAMES,
  type ItemTypeName,
  type ImportInput,
  importInput,
  type ImportOutput,
  importOutput,
} from '../../engine/portable/import-report.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import { type LocalIo, type OperationContext, operation, requireLocalIo, withNames } from '../operation.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { HistoryLog } from '../../engine/audit/history-log.ts';
import { importMemory } from '../../engine/portable/import.ts';
import { namesDatabase } from '../../store/registry.ts';

const exportInput = z.strictObject({
  to: localPath()
    .exactOptional()
    .describe('The file to write; `-` is standard output. It appears when it is complete.'),
  force: z.boolean().exactOptional().describe('Replace an existing file.'),
  after: z.string().max(1000).exactOptional().describe('`next` of the previous page.'),
});

const exportOutput = z.strictObject({
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
export type ExportOutput = z.infer<typeof exportOutput>;

/** How long a program waits for the embeddings of what it has imported, in milliseconds. The command line waits to their end. */
const MAX_EMBEDDING_MS = 5000;

export const portableOperations = withNames({
  export: operation({
    description:
      'Exports the whole memory: records of every origin, deleted ones included, facts that have not expired, startup ' +
      'entries, marked receipts, the audit log and runs. JSON Lines come page by page; the `lines` of all pages, concatenated, are one ' +
      'export, which `import` reads with nothing lost. docs/export-format.md describes the format.',
    input: exportInput,
    output: exportOutput,
    kind: 'read',
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
  }),
  import: operation({
    description:
      'Imports an export in JSON Lines with nothing lost, or the files of an OpenClaw agent (MEMORY.md, USER.md, ' +
      'memory/*.md as records; SOUL.md, IDENTITY.md, AGENTS.md, TOOLS.md as startup entries). The command line also imports ' +
      'the database of a ShadowDB, which it only reads, and conversations: exports of ChatGPT and Claude, transcripts of Claude Code and ' +
      'Codex (docs/sources.md). Importing the same again changes nothing, and an import that was interrupted ' +
      'continues. Where a record is here already, the newer state wins.',
    input: importInput,
    output: importOutput,
    kind: 'write',
    scope: 'write',
    needsWrites: true,
    listedOnRequest: true,
    steps: true,
    localFields: ['path', 'table'],
    tool: 'memory_import',
    examples: [
      {
        title: 'Preview the import of an OpenClaw agent',
        input: { path: '~/.openclaw/workspace', dry_run: true },
      },
      { title: 'Import an export', input: { path: '~/memory.jsonl' } },
      {
        title: 'Count the conversations in an export of ChatGPT or Claude',
        input: { path: '~/Downloads/export.zip', dry_run: true },
      },
      {
        title: 'Import a ShadowDB, whose connection string is in a variable',
        input: { path: 'env:SHADOWDB_URL', table: 'memories' },
      },
    ],
    run: runImport,
  }),
});

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

async function runImport(context: OperationContext, input: ImportInput): Promise<ImportOutput> {
  const given = await localInput(context, input);
  // A dry run leaves no trace, not even an empty store.
  const loci = await context.loci(input.dry_run === true ? { temporary: true } : { create: true });
  const { signal, onProgress, machine } = context;
  const at = Date.now();
  const limit = machine === undefined ? { maxEmbeddingMs: MAX_EMBEDDING_MS } : {};
  const output = await importMemory(loci, given, { signal, onProgress, ...limit });
  const { dry_run, format, records, took_ms: tookMs } = output;
  const outcome = `${String(records.added)} added, ${String(records.updated)} updated, ${String(records.removed)} removed`;
  const { actor, surface } = loci.caller;
  const inputs = { format, overwrite: input.overwrite ?? false };
  const run = {
    category: 'pipeline_history',
    name: 'import',
    surface,
    actor,
    inputs,
    outcome,
    at,
    tookMs,
  } as const;
  if (!dry_run) loci.shared(HistoryLog).record(loci.namespace, run);
  return output;
}

/** The place of the database of the store, in which a table is that is named without one. */
async function databaseOf(
  context: OperationContext,
  { table, lines, files }: ImportInput,
): Promise<string | undefined> {
  if (table === undefined || lines !== undefined || files !== undefined) return undefined;
  return (await context.loadConfig()).values.store.connectionString;
}

/** The input with an absolute path, or with the lines of standard input. */
async function localInput(context: OperationContext, input: ImportInput): Promise<ImportInput> {
  const { path = await databaseOf(context, input), ...rest } = input;
  if ([path, rest.lines, rest.files].filter((given) => given !== undefined).length !== 1)
    throw new LociError('invalid_input', 'an import needs exactly one of `path`, `lines` and `files`');
  const isDatabase = path !== undefined && namesDatabase(path);
  if (input.table !== undefined && !isDatabase)
    throw new LociError('invalid_input', 'table: only a database has tables', {
      hint: 'Give its connection string as the path: postgres://…, env:NAME or file:/path.',
    });
  if (path === undefined) return input;
  const machine = requireLocalIo(context, 'path');
  if (isDatabase) return { ...rest, path };
  if (path === '-') return { ...rest, lines: await machine.readInput() };
  return { ...rest, path: resolve(expandHome(path)) };
}
