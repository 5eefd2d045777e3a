import { z } from 'zod';
import { ERROR_TABLE, type ErrorCode } from '../../core/errors.ts';
import { SOURCE_PROBLEM_REASONS, type SourceProblem } from '../../sources/source.ts';

const problem = z.strictObject({
  path: z.string().describe('The path in its folder, or `record/12` for a written record.'),
  reason: z.enum(SOURCE_PROBLEM_REASONS),
  detail: z.string(),
  skipped: z.boolean().describe('Whether it was skipped. Its previous state stays in the store.'),
});

/** A problem with a single note or record. */
export type Problem = z.infer<typeof problem>;

export const problemList = () => z.array(problem);

/** The error of a part of the work, in an output that has the results of the rest. */
export const errorFields = () =>
  z.strictObject({
    code: z.enum(Object.keys(ERROR_TABLE) as ErrorCode[]),
    message: z.string(),
    hint: z.string(),
  });

export function asProblem({ key, ...rest }: SourceProblem): Problem {
  return { path: key, ...rest };
}
