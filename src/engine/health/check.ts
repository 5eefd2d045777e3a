import { z } from 'zod';
import { LociError } from '../../core/errors.ts';

export const doctorOutput = z.strictObject({
  healthy: z.boolean().describe('Whether no check failed. Warnings do not count.'),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      result: z.enum(['ok', 'warning', 'failed']),
      detail: z.string(),
      hint: z.string().nullable().describe('What to do next.'),
      repair: z
        .strictObject({ operation: z.string(), input: z.record(z.string(), z.json()) })
        .exactOptional()
        .describe('The operation that the hint names, or that shows more, if there is one.'),
    }),
  ),
});
export type DoctorOutput = z.infer<typeof doctorOutput>;
export type Check = DoctorOutput['checks'][number];

/** The result of a check. A hint replaces the usual one of the check, and its repair. */
export type Finding = Pick<Check, 'result' | 'detail' | 'repair'> & { readonly hint?: string };

/** Whether the check was stopped by its caller, and found nothing out. */
export function isAbort(error: unknown): boolean {
  return error instanceof LociError && error.code === 'aborted';
}
