import type { Json } from '../core/types.ts';
import { explainIssues } from './problems.ts';
import { type SourceSettings, sourceSettings } from './sources-schema.ts';

/** Reads what the front matter of a skill says of its source; in words for its owner what is wrong with it. */
export function readSourceSettings(
  written: unknown,
): { readonly settings: SourceSettings } | { readonly problem: string } {
  const parsed = sourceSettings.safeParse(written);
  if (parsed.success) return { settings: parsed.data };
  // As if it stood in loci.yaml, where it is known what belongs at each place.
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['sources', 0, ...issue.path] }));
  const problems = explainIssues(issues, { sources: [written as Json] });
  return {
    problem: problems.map(({ message }) => message.replaceAll('sources[0]', 'memorySource')).join('; '),
  };
}
