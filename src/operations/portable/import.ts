import { resolve } from 'node:path';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { HistoryLog } from '../../engine/audit/history-log.ts';
import { importMemory } from '../../engine/portable/import.ts';
import {
  type ImportInput,
  importInput,
  type ImportOutput,
  importOutput,
} from '../../engine/portable/items/import-report.ts';
import { namesDatabase } from '../../store/registry.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireLocalIo } from '../shared/local-io.ts';

/** How long a program waits for the embeddings of what it has imported, in milliseconds. The command line waits to their end. */
const MAX_EMBEDDING_MS = 5000;

export const importMemoryOperation: Operation<typeof importInput, typeof importOutput> = {
  name: 'import',
  title: 'Import',
  description:
    'Imports an export in JSON Lines with nothing lost, or the files of an OpenClaw agent (MEMORY.md, USER.md, ' +
    'memory/*.md as records; SOUL.md, IDENTITY.md, AGENTS.md, TOOLS.md as startup entries). The command line also imports ' +
    'the database of a ShadowDB, which it only reads. Importing the same again changes nothing, and an import that was interrupted ' +
    'continues. Where a record is here already, the newer state wins.',
  input: importInput,
  output: importOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
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
      title: 'Import a ShadowDB, whose connection string is in a variable',
      input: { path: 'env:SHADOWDB_URL', table: 'memories' },
    },
  ],
  run: runImport,
};

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

/** The input with an absolute path, or with the lines of standard input. */
async function localInput(context: OperationContext, input: ImportInput): Promise<ImportInput> {
  const { path, ...rest } = input;
  if ([path, rest.lines, rest.files].filter((given) => given !== undefined).length !== 1)
    throw new LociError('invalid_input', 'an import needs exactly one of `path`, `lines` and `files`');
  const isDatabase = path !== undefined && namesDatabase(path);
  if (input.table !== undefined && !isDatabase)
    throw new LociError('invalid_input', 'table: only a database has tables', {
      hint: 'Give its connection string as the path: postgres://…, env:NAME or file:/path.',
    });
  if (path === undefined) return input;
  const machine = requireLocalIo(context, 'path');
  if (isDatabase) return input;
  if (path === '-') return { ...rest, lines: await machine.readInput() };
  return { ...rest, path: resolve(expandHome(path)) };
}
