import { z } from 'zod';
import type { SourceProblem, SourceProblemReason } from '../../sources/source.ts';

const REASONS: { readonly [Reason in SourceProblemReason]: Reason } = {
  too_large: 'too_large',
  binary: 'binary',
  unreadable: 'unreadable',
  outside_root: 'outside_root',
  invalid_encoding: 'invalid_encoding',
  invalid_front_matter: 'invalid_front_matter',
};

const problem = z.strictObject({
  path: z.string().describe('The path in its folder, or `record/12` for a written record.'),
  reason: z.enum(REASONS),
  detail: z.string(),
  skipped: z.boolean().describe('Whether it was skipped. Its previous state stays in the store.'),
});

/** A problem with a single note or record. */
export type Problem = z.infer<typeof problem>;

export const problemList = () => z.array(problem);

export function asProblem({ key, ...rest }: SourceProblem): Problem {
  return { path: key, ...rest };
}
