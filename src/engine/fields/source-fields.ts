import { z } from 'zod';

/** The fields that describe the source of a record in every output. */
export const sourceFields = () => ({
  from: z
    .string()
    .nullable()
    .describe(
      'For a document of a source such as a todo list: the source, when the document is due or happens, and when the source ' +
        'was last read: `From Google Tasks · due tomorrow · 3 min ago`. `null` for other records.',
    ),
  source_name: z.string().describe('The display name of `source`.'),
  url: z.string().exactOptional().describe('The page of the document at its source.'),
});

export type SourceFields = z.infer<z.ZodObject<ReturnType<typeof sourceFields>>>;

interface Origin {
  readonly line: string;
  readonly name: string;
  readonly url: string | null;
}

/** @param from the source of the record, if it is a document of one */
export function sourceFieldsOf(from: Origin | null, source: string): SourceFields {
  if (from === null) return { from: null, source_name: source };
  const { line, name, url } = from;
  return { from: line, source_name: name, ...(url !== null && { url }) };
}
