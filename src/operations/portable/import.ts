import { HistoryLog } from '../../engine/audit/history-log.ts';
import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { importMemory, type ImportResult, type ImportSource } from '../../engine/portable/import.ts';
import { refusalFields } from '../../engine/embedding/refusal-report.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import { agentName } from '../../engine/startup/startup-fields.ts';
import { localPath, maskedKinds } from '../../engine/fields/record-fields.ts';
import { requireLocalIo } from '../shared/local-io.ts';
import type { Operation, OperationContext } from '../operation.ts';

const count = () => z.number().int().nonnegative();

const counts = () =>
  z.strictObject({
    added: count(),
    updated: count(),
    unchanged: count().describe('Those that were here already.'),
    kept: count().describe(
      'Those of which another state is here and was not replaced; `conflicts` names them.',
    ),
    removed: count().describe('Those that were deleted; `undelete` brings them back.'),
    expired: count().describe('Those that have expired and were left out.'),
    refused: count().describe('Those that could not be imported; `problems` names them.'),
  });

const remarks = () => z.array(z.strictObject({ location: z.string(), message: z.string() }));

/** The lengths of an export and of a file. Over HTTP, the limit of a request's body is much lower. */
const MAX_LINES_LENGTH = 128 * 1024 * 1024;
const MAX_FILE_LENGTH = 16 * 1024 * 1024;

/** How long a program waits for the embeddings of what it has imported, in milliseconds. The command line waits to their end. */
const MAX_EMBEDDING_MS = 5000;

const input = z.strictObject({
  path: localPath()
    .exactOptional()
    .describe('The export to read, or the folder of an OpenClaw agent. `-` is standard input.'),
  lines: z.string().min(1).max(MAX_LINES_LENGTH).exactOptional().describe('A whole export as JSON Lines.'),
  files: z
    .array(z.strictObject({ path: z.string().min(1).max(1000), content: z.string().max(MAX_FILE_LENGTH) }))
    .min(1)
    .max(10_000)
    .exactOptional()
    .describe('The files of an OpenClaw agent, with their paths in its folder.'),
  dry_run: z.boolean().exactOptional().describe('Only report what the import would do.'),
  overwrite: z.boolean().exactOptional().describe('Replace whatever differs here, even when it is newer.'),
  agent: agentName()
    .exactOptional()
    .describe('The agent of an OpenClaw folder. Its startup entries are for that agent alone.'),
});
type ImportInput = z.infer<typeof input>;

const output = z.strictObject({
  format: z.enum(['jsonl', 'openclaw']),
  dry_run: z.boolean(),
  records: counts(),
  startup: counts(),
  concept_change: count().describe('Changes of concepts that were not here before.'),
  labels: count().describe('Labels that were not here before, or were given later.'),
  golden_queries: count().describe('Golden queries that were not here before, or were recorded later.'),
  audit: count().describe('Entries of the audit log that were not here before.'),
  history: count().describe('Runs that were not here before.'),
  changes: z
    .array(z.strictObject({ location: z.string(), change: z.string(), title: z.string() }))
    .describe('In a dry run: what the import would do.'),
  renumbered: z
    .array(z.strictObject({ uuid: z.string(), from: count(), to: count() }))
    .describe('Records that got a new number because theirs was in use here.'),
  conflicts: remarks(),
  problems: remarks(),
  omitted: count().describe('How many entries these lists omit; each has at most 1,000.'),
  masked: maskedKinds(),
  masked_in: remarks().describe('The lines or files of these secrets, and their kinds.'),
  embedded: count().describe('Texts that were embedded.'),
  ...refusalFields,
  why: z.string().nullable().describe('Why other texts were not embedded.'),
  took_ms: tookMs(),
});
export type ImportOutput = z.infer<typeof output>;

export const importMemoryOperation: Operation<typeof input, typeof output> = {
  name: 'import',
  title: 'Import',
  description:
    'Imports an export in JSON Lines with nothing lost, or the files of an OpenClaw agent (MEMORY.md, USER.md, ' +
    'memory/*.md as records; SOUL.md, IDENTITY.md, AGENTS.md, TOOLS.md as startup entries). Importing the same again ' +
    'changes nothing, and an import that was interrupted continues. Where a record is here already, the newer state wins.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  needsWrites: true,
  listedOnRequest: true,
  steps: true,
  localFields: ['path'],
  tool: 'memory_import',
  examples: [
    {
      title: 'Preview the import of an OpenClaw agent',
      input: { path: '~/.openclaw/workspace', dry_run: true },
    },
    { title: 'Import an export', input: { path: '~/memory.jsonl' } },
  ],
  run: runImport,
};

async function runImport(context: OperationContext, input: ImportInput): Promise<ImportOutput> {
  const started = performance.now();
  const { dry_run = false, overwrite = false, agent } = input;
  const from = await importSource(context, input);
  // A dry run leaves no trace, not even an empty store.
  const loci = await context.loci(dry_run ? { temporary: true } : { create: true });
  const { signal, onProgress } = context;
  const at = Date.now();
  const result = await importMemory(loci, {
    from,
    dryRun: dry_run,
    overwrite,
    signal,
    onProgress,
    ...(agent !== undefined && { agent }),
    ...(context.machine === undefined && { maxEmbeddingMs: MAX_EMBEDDING_MS }),
  });
  const took_ms = millisecondsSince(started);
  const { records } = result.report;
  const outcome = `${String(records.added)} added, ${String(records.updated)} updated, ${String(records.removed)} removed`;
  const { actor, surface } = loci.caller;
  const inputs = { format: result.format, overwrite };
  if (!dry_run)
    loci.shared(HistoryLog).record(loci.namespace, {
      category: 'pipeline_history',
      name: 'import',
      surface,
      actor,
      inputs,
      outcome,
      at,
      tookMs: took_ms,
    });
  return { dry_run, ...outputOf(result), took_ms };
}

async function importSource(
  context: OperationContext,
  { path, lines, files }: ImportInput,
): Promise<ImportSource> {
  if ([path, lines, files].filter((given) => given !== undefined).length !== 1)
    throw new LociError('invalid_input', 'an import needs exactly one of `path`, `lines` and `files`');
  if (lines !== undefined) return { lines };
  if (files !== undefined) return { files };
  const machine = requireLocalIo(context, 'path');
  if (path === '-') return { lines: await machine.readInput() };
  return { path: resolve(expandHome(path ?? '')) };
}

function outputOf({ format, report }: ImportResult): Omit<ImportOutput, 'dry_run' | 'took_ms'> {
  const { auxiliary, masked, maskedIn } = report;
  return {
    format,
    records: report.records,
    startup: report.startup,
    ...auxiliary,
    changes: report.changes,
    renumbered: report.renumbered,
    conflicts: report.conflicts,
    problems: report.problems,
    omitted: report.omitted,
    masked: [...masked],
    masked_in: [...maskedIn].map(([location, kinds]) => ({ location, message: [...kinds].join(', ') })),
    embedded: report.embedded,
    ...report.refusals,
    why: report.why,
  };
}
