import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import type { LociError } from '../../core/errors.ts';
import { NO_REFUSALS, refusalFields } from '../embedding/refusal-report.ts';
import { localPath, maskedKinds } from '../fields/record-fields.ts';
import { millisecondsSince, tookMs } from '../fields/times.ts';
import { agentName } from '../startup/startup-fields.ts';

/** In the order of every export: the audit log has what is written during the export. */
export const ITEM_TYPE_NAMES = ['startup', 'record', 'receipt', 'audit', 'history'] as const;
export type ItemTypeName = (typeof ITEM_TYPE_NAMES)[number];

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

const conversationCounts = z.strictObject({
  source: z.string(),
  conversations: count(),
  messages: count(),
  days: count().describe('The days of the conversations; each is a record.'),
  empty: count().describe('Conversations without a message that has text, which are left out.'),
});

const remark = z.strictObject({ location: z.string(), message: z.string() });
const remarks = () => z.array(remark);

/** The lengths of an export and of a file. Over HTTP, the limit of a request's body is much lower. */
const MAX_LINES_LENGTH = 128 * 1024 * 1024;
const MAX_FILE_LENGTH = 16 * 1024 * 1024;

export const importInput = z.strictObject({
  path: localPath()
    .exactOptional()
    .describe(
      'The export to read, or the folder of an OpenClaw agent. Or conversations: an export of ChatGPT or Claude (ZIP, folder or JSON), ' +
        'transcripts of Claude Code or Codex. `-` is standard input. For the memories of ShadowDB, the connection ' +
        'string of its database (`postgres://…`) or the place of one (`env:NAME`, `file:/path`).',
    ),
  table: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe(
      'The table of ShadowDB that has the memories; `memories` unless given. It may have its schema before it. Without a path, it is in ' +
        'the database of the store.',
    ),
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
    .describe('The agent of an OpenClaw folder or a ShadowDB. Its startup entries are for that agent alone.'),
});
export type ImportInput = z.infer<typeof importInput>;

export const importOutput = z.strictObject({
  format: z.enum(['jsonl', 'openclaw', 'shadowdb', 'conversations']),
  dry_run: z.boolean(),
  records: counts(),
  startup: counts(),
  receipt: counts(),
  audit: counts(),
  history: counts(),
  changes: z
    .array(z.strictObject({ location: z.string(), change: z.string(), title: z.string() }))
    .describe('In a dry run: what the import would do.'),
  conversations: z.array(conversationCounts).describe('What was read of conversations, by program.'),
  private: z
    .array(z.string())
    .describe(
      'The sources of conversations that agents do not find, because the settings do not include them in contexts.',
    ),
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
export type ImportOutput = z.infer<typeof importOutput>;

export type ImportCounts = ImportOutput['records'];
/** A message, and the line, file or record that it is about. */
export type ImportRemark = z.infer<typeof remark>;

const MAX_REMARKS_PER_LIST = 1000;

/** What an import did, or in a dry run would do. */
export class ImportReport {
  readonly #started = performance.now();
  readonly output: ImportOutput;

  constructor(format: ImportOutput['format'], dry_run: boolean) {
    const none = (): ImportCounts => ({
      ...{ added: 0, updated: 0, unchanged: 0, kept: 0, removed: 0, expired: 0, refused: 0 },
    });
    this.output = {
      ...{
        dry_run,
        format,
        records: none(),
        startup: none(),
        receipt: none(),
        audit: none(),
        history: none(),
      },
      ...{
        changes: [],
        conversations: [],
        private: [],
        renumbered: [],
        conflicts: [],
        problems: [],
        omitted: 0,
        masked: [],
        masked_in: [],
      },
      ...{ embedded: 0, ...NO_REFUSALS, why: null, took_ms: 0 },
    };
  }

  counts(type: ItemTypeName): ImportCounts {
    return this.output[type === 'record' ? 'records' : type];
  }

  /** Adds a remark about a line, file or record, or another entry of a list. */
  add<Name extends 'changes' | 'renumbered' | 'conflicts' | 'problems'>(
    name: Name,
    item: ImportOutput[Name][number],
  ): void {
    const list: ImportOutput[Name][number][] = this.output[name];
    if (list.length < MAX_REMARKS_PER_LIST) list.push(item);
    else this.output.omitted++;
  }

  addMasked(location: string, kinds: readonly string[]): void {
    const { masked, masked_in: places } = this.output;
    if (kinds.length === 0) return;
    masked.push(...kinds.filter((kind) => !masked.includes(kind)));
    const message = kinds.join(', ');
    if (places.some((each) => each.location === location && each.message === message)) return;
    if (places.length < MAX_REMARKS_PER_LIST) places.push({ location, message });
    else this.output.omitted++;
  }

  addRefused(type: ItemTypeName, location: string, { message }: LociError): void {
    this.counts(type).refused++;
    this.add('problems', { location, message });
  }

  end(): ImportOutput {
    return { ...this.output, took_ms: millisecondsSince(this.#started) };
  }
}
