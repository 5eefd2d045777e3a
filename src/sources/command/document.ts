import type { z } from 'zod';
import type { DocumentProblem, MemoryDocument } from '../document.ts';
import { DOCUMENT, ID } from './document-schema.ts';

export type ReadDocument = { readonly document: MemoryDocument } | { readonly problem: DocumentProblem };

const SHOWN_ISSUES = 3;

/**
 * A printed value as a document, or what is wrong with it in plain words. Half surrogate pairs become U+FFFD, control
 * characters spaces. A title stands for a text that is missing.
 * @param index from 1, in the order printed
 * @param nothing what is wrong with one that has neither text nor title
 */
export function readDocument(value: unknown, index: number, nothing = 'text is missing'): ReadDocument {
  const read = DOCUMENT.safeParse(value);
  const unfit = (detail: string): ReadDocument => ({
    problem: { index, id: idOf(value), detail, skipped: true },
  });
  if (!read.success) return unfit(explain(read.error.issues));
  const text = read.data.text ?? read.data.title;
  return text === null ? unfit(nothing) : { document: { ...read.data, text } };
}

/** The id of a printed value, as far as it can be told. */
function idOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) return null;
  return ID.safeParse((value as { id: unknown }).id).data ?? null;
}

function explain(issues: readonly z.core.$ZodIssue[]): string {
  const shown = issues.slice(0, SHOWN_ISSUES).map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === 'number' ? String(step + 1) : String(step)));
    return `${steps.length === 0 ? 'it' : steps.join('.')} ${message}`;
  });
  return shown.join('; ');
}
