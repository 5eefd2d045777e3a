import { z } from 'zod';
import type { SourceProblem, SourceProblemReason } from '../../sources/source.ts';

/** What the owner should know of a single note or record. */
export interface Problem {
  readonly path: string;
  readonly reason: SourceProblemReason;
  readonly detail: string;
  readonly skipped: boolean;
}

const REASONS: { readonly [Reason in SourceProblemReason]: Reason } = {
  too_large: 'too_large',
  binary: 'binary',
  unreadable: 'unreadable',
  outside_root: 'outside_root',
  invalid_encoding: 'invalid_encoding',
  invalid_front_matter: 'invalid_front_matter',
};

export function problemList(): z.ZodType<Problem[]> {
  return z.array(
    z.strictObject({
      path: z.string().describe('Relative to its folder; `record/12` of what was written.'),
      reason: z.enum(REASONS),
      detail: z.string(),
      skipped: z.boolean().describe('Whether it was left out: what was known of it before stays.'),
    }),
  );
}

export function asProblem({ key, ...problem }: SourceProblem): Problem {
  return { path: key, ...problem };
}
