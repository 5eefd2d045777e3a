import { z } from 'zod';
import { dayText } from '../../core/time/whole-day.ts';
import { formatProblem } from '../../engine/reading/refresh/source-failure.ts';
import { isoTime, tookMs } from '../../engine/fields/times.ts';
import type { Operation } from '../operation.ts';
import { idInput } from './source-output.ts';
import { sourcesOf } from '../../engine/reading/sources.ts';

const count = () => z.number().int().nonnegative();

const input = z.strictObject({
  id: idInput(),
  limit: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .exactOptional()
    .describe('The maximum number of documents to show; 10 unless given.'),
});

const testedDocument = z.strictObject({
  id: z.string(),
  title: z.string().nullable(),
  text: z.string(),
  tags: z.array(z.string()),
  timestamp: z
    .union([z.iso.datetime(), z.iso.date()])
    .nullable()
    .describe('A time, or a day without a time.'),
  completed: z.boolean().nullable(),
  project: z.string().nullable(),
  url: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
});
/** A document as it would be stored. */
export type TestedDocument = z.infer<typeof testedDocument>;

const output = z.strictObject({
  id: z.string(),
  documents: z.array(testedDocument).describe('The first documents, as they would be stored.'),
  total: count().describe('The number of good documents.'),
  printed: count().describe('The number of printed documents, including bad ones.'),
  problems: z.array(z.string()).describe('Problems of single documents.'),
  stderr: z.string().describe('The end of standard error.'),
  bytes: count().describe('The size of standard output.'),
  took_ms: tookMs(),
});
export type SourcesTestOutput = z.infer<typeof output>;

export const sourcesTestOperation: Operation<typeof input, typeof output> = {
  name: 'sources-test',
  title: 'Test a source',
  description:
    'Runs the command of a source once and shows the documents that it prints and their problems. Nothing is stored. The ' +
    'command must be approved.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'Show what would be stored', input: { id: 'tasks' } }],
  run: async (context, { id, limit = DEFAULT_LIMIT }) => {
    const loci = await context.loci({ create: true });
    const fetched = await sourcesOf(loci).test(id, context.signal);
    return {
      id,
      documents: fetched.documents.slice(0, limit).map(({ timestamp, wholeDay, tags, ...document }) => ({
        ...document,
        tags: [...tags],
        timestamp: timestamp === null ? null : wholeDay ? dayText(timestamp) : isoTime(timestamp),
      })),
      total: fetched.documents.length,
      printed: fetched.printed,
      problems: fetched.problems.map(formatProblem),
      stderr: fetched.stderr,
      bytes: fetched.bytes,
      took_ms: Math.round(fetched.milliseconds),
    };
  },
};

const DEFAULT_LIMIT = 10;
