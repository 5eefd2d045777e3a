import { z } from 'zod';
import type { SourceOrigin } from '../../engine/sources/source-origin.ts';

/** What is told of the source of a record, alike wherever a record is. */
export interface SourceFields {
  readonly from: string | null;
  readonly source_name: string;
  readonly url?: string;
}

export const sourceFields = (): {
  from: z.ZodNullable<z.ZodString>;
  source_name: z.ZodString;
  url: z.ZodExactOptional<z.ZodString>;
} => ({
  from: z
    .string()
    .nullable()
    .describe(
      'Of what a source such as a todo list brought: which, when it is due or happens, and when the source was last ' +
        'read: `From Google Tasks · due tomorrow · 3 min ago`. `null` for all else.',
    ),
  source_name: z.string().describe('What people call `source`.'),
  url: z.string().exactOptional().describe('Where its source shows it.'),
});

export function sourceFieldsOf(from: SourceOrigin | null, source: string): SourceFields {
  if (from === null) return { from: null, source_name: source };
  const { line, name, url } = from;
  return { from: line, source_name: name, ...(url !== null && { url }) };
}
