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
    }),
  ),
});
export type DoctorOutput = z.infer<typeof doctorOutput>;
export type Check = DoctorOutput['checks'][number];

/** The result of a check. A hint replaces the usual one of the check. */
export type Finding = Pick<Check, 'result' | 'detail'> & { readonly hint?: string };

/** Whether the check was stopped by its caller, and found nothing out. */
export function isAbort(error: unknown): boolean {
  return error instanceof LociError && error.code === 'aborted';
}
