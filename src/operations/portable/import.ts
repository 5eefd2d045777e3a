import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import type { ImportFormat, ImportResult, ImportSource } from '../../engine/portable/import.ts';
import type { ImportCounts } from '../../engine/portable/import-report.ts';
import { millisecondsSince, tookMs } from '../shared/durations.ts';
import { agentName } from '../startup/startup-fields.ts';
import { maskedKinds } from '../shared/record-fields.ts';
import { requireLocalIo } from '../shared/local-io.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface ImportInput {
  readonly path?: string;
  readonly lines?: string;
  readonly files?: { readonly path: string; readonly content: string }[];
  readonly dry_run?: boolean;
  readonly overwrite?: boolean;
  readonly agent?: string;
}

interface Remark {
  readonly where: string;
  readonly what: string;
}

export interface ImportOutput {
  readonly format: ImportFormat;
  readonly dry_run: boolean;
  readonly records: ImportCounts;
  readonly startup: ImportCounts;
  readonly audit: number;
  readonly history: number;
  readonly changes: { readonly where: string; readonly change: string; readonly title: string }[];
  readonly renumbered: { readonly uuid: string; readonly from: number; readonly to: number }[];
  readonly conflicts: Remark[];
  readonly problems: Remark[];
  readonly untold: number;
  readonly masked: string[];
  readonly masked_in: Remark[];
  readonly embedded: number;
  readonly why: string | null;
  readonly took_ms: number;
}

const count = () => z.number().int().nonnegative();

const counts: z.ZodType<ImportCounts> = z.strictObject({
  added: count(),
  updated: count(),
  unchanged: count().describe('Those that were here already.'),
  kept: count().describe('Those of which another state is here, and stays; `conflicts` names them.'),
  removed: count().describe('Those that were deleted, and can be brought back.'),
  expired: count().describe('Those whose time is over: they are left out.'),
  refused: count().describe('Those that cannot be here; `problems` names them.'),
});

const remarks = () => z.array(z.strictObject({ where: z.string(), what: z.string() }));

export const importMemory: Operation<ImportInput, ImportOutput> = {
  name: 'import',
  title: 'Import',
  description:
    'Takes in what `export` gave, with nothing lost, or the files of an OpenClaw agent (MEMORY.md, USER.md, memory/*.md ' +
    'as records, SOUL.md, IDENTITY.md, AGENTS.md, TOOLS.md as startup entries). Done again it changes nothing; stopped ' +
    'anywhere, it goes on from there. Of a record that is here already the newer state stays.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .exactOptional()
      .describe('The file or folder to read: what it is shows by itself. `-` is standard input.'),
    lines: z.string().min(1).exactOptional().describe('A whole export as JSON Lines.'),
    files: z
      .array(z.strictObject({ path: z.string().min(1).max(1000), content: z.string() }))
      .min(1)
      .max(10_000)
      .exactOptional()
      .describe('Files of an export as Markdown, or of an OpenClaw agent, with their paths in its folder.'),
    dry_run: z.boolean().exactOptional().describe('Only tell what would be done.'),
    overwrite: z
      .boolean()
      .exactOptional()
      .describe('What is here gives way wherever it differs, also where it is newer.'),
    agent: agentName()
      .exactOptional()
      .describe('Of an OpenClaw folder: whose it is. Its startup entries are for that agent alone.'),
  }),
  output: z.strictObject({
    format: z.enum(['jsonl', 'markdown', 'openclaw']),
    dry_run: z.boolean(),
    records: counts,
    startup: counts,
    audit: count().describe('Entries of the audit log that are new here.'),
    history: count().describe('Runs that are new here.'),
    changes: z
      .array(z.strictObject({ where: z.string(), change: z.string(), title: z.string() }))
      .describe('Of a dry run: what would be done.'),
    renumbered: z
      .array(z.strictObject({ uuid: z.string(), from: count(), to: count() }))
      .describe('Records that got another number, as theirs was given here before.'),
    conflicts: remarks(),
    problems: remarks(),
    untold: count().describe('How many more there are than these lists show, 1,000 of each.'),
    masked: maskedKinds(),
    masked_in: remarks().describe('Where they are, and which.'),
    embedded: count().describe('Texts that were embedded now.'),
    why: z.string().nullable().describe('What kept the rest from being embedded.'),
    took_ms: tookMs(),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  steps: true,
  localFields: ['path'],
  tool: 'memory_import',
  examples: [
    {
      title: 'What would come of an OpenClaw agent',
      input: { path: '~/.openclaw/workspace', dry_run: true },
    },
    { title: 'An export', input: { path: '~/memory.jsonl' } },
  ],
  run: runImport,
};

async function runImport(context: OperationContext, input: ImportInput): Promise<ImportOutput> {
  const started = performance.now();
  const { dry_run = false, overwrite = false, agent } = input;
  const from = await sourceOf(context, input);
  const loci = await context.loci({ create: true });
  const { signal, onProgress } = context;
  const at = Date.now();
  const request = {
    from,
    dryRun: dry_run,
    overwrite,
    signal,
    onProgress,
    ...(agent !== undefined && { agent }),
  };
  const result = await loci.portable.import(request);
  const took_ms = millisecondsSince(started);
  const { records } = result.report;
  const outcome = `${String(records.added)} added, ${String(records.updated)} updated, ${String(records.removed)} removed`;
  const { actor, surface } = loci.caller;
  const inputs = { format: result.format, overwrite };
  if (!dry_run)
    loci.note({
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

async function sourceOf(
  context: OperationContext,
  { path, lines, files }: ImportInput,
): Promise<ImportSource> {
  if ([path, lines, files].filter((given) => given !== undefined).length !== 1)
    throw new LociError('invalid_input', 'an import needs one of `path`, `lines` and `files`');
  if (lines !== undefined) return { lines };
  if (files !== undefined) return { files };
  const machine = requireLocalIo(context, 'path');
  if (path === '-') return { lines: await machine.readInput() };
  return { path: resolve(expandHome(path ?? '')) };
}

function outputOf({ format, report }: ImportResult): Omit<ImportOutput, 'dry_run' | 'took_ms'> {
  const {
    records,
    startup,
    auxiliary: related,
    changes,
    renumbered,
    conflicts,
    problems,
    untold,
    masked,
    maskedIn,
  } = report;
  return {
    format,
    records: { ...records },
    startup: { ...startup },
    ...related,
    changes: [...changes],
    renumbered: [...renumbered],
    conflicts: [...conflicts],
    problems: [...problems],
    untold,
    masked: [...masked],
    masked_in: [...maskedIn].map(([where, kinds]) => ({ where, what: [...kinds].join(', ') })),
    embedded: report.embedded,
    why: report.why,
  };
}
