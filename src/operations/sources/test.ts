import { z } from 'zod';
import type { Json } from '../../core/types.ts';
import { problemInWords } from '../../engine/refresh/refresh.ts';
import { isoTime, tookMs } from '../shared/times.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { idInput } from './source-output.ts';

export interface SourcesTestInput {
  readonly id: string;
  readonly limit?: number;
}

/** A document as it would be stored. */
export interface TestedDocument {
  readonly id: string;
  readonly title: string | null;
  readonly text: string;
  readonly tags: string[];
  readonly timestamp: string | null;
  readonly completed: boolean | null;
  readonly project: string | null;
  readonly url: string | null;
  readonly metadata: Readonly<Record<string, Json>>;
}

export interface SourcesTestOutput {
  readonly id: string;
  readonly documents: TestedDocument[];
  readonly total: number;
  readonly printed: number;
  readonly problems: string[];
  readonly stderr: string;
  readonly bytes: number;
  readonly took_ms: number;
}

const count = () => z.number().int().nonnegative();

const testedDocument: z.ZodType<TestedDocument> = z.strictObject({
  id: z.string(),
  title: z.string().nullable(),
  text: z.string(),
  tags: z.array(z.string()),
  timestamp: z.iso.datetime().nullable(),
  completed: z.boolean().nullable(),
  project: z.string().nullable(),
  url: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
});

export const sourcesTest: Operation<SourcesTestInput, SourcesTestOutput> = {
  name: 'sources-test',
  title: 'Test a source',
  description:
    'Runs the command of a source once and shows the documents that were read out of what it printed, and what was wrong ' +
    'with it. Nothing is stored. The command must be approved.',
  input: z.strictObject({
    id: idInput(),
    limit: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .exactOptional()
      .describe('Documents to show at most; 10 unless given.'),
  }),
  output: z.strictObject({
    id: z.string(),
    documents: z.array(testedDocument).describe('The first ones, as they would be stored.'),
    total: count().describe('How many there are.'),
    printed: count().describe('How many were printed, good or bad.'),
    problems: z.array(z.string()).describe('What was wrong with single documents.'),
    stderr: z.string().describe('What the program said beside, from its end.'),
    bytes: count().describe('Length of what was printed.'),
    took_ms: tookMs(),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'What would be stored', input: { id: 'tasks' } }],
  run: runSourcesTest,
};

const SHOWN = 10;

async function runSourcesTest(
  context: OperationContext,
  { id, limit = SHOWN }: SourcesTestInput,
): Promise<SourcesTestOutput> {
  const loci = await context.loci({ create: true });
  const fetched = await loci.sources.test(id, context.signal);
  return {
    id,
    documents: fetched.documents.slice(0, limit).map(({ timestamp, tags, ...document }) => ({
      ...document,
      tags: [...tags],
      timestamp: timestamp === null ? null : isoTime(timestamp),
    })),
    total: fetched.documents.length,
    printed: fetched.printed,
    problems: fetched.problems.map(problemInWords),
    stderr: fetched.stderr,
    bytes: fetched.bytes,
    took_ms: Math.round(fetched.milliseconds),
  };
}
