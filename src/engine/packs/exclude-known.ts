import type { Candidate } from '../../pack/candidate.ts';

/**
 * Excludes what the prompt says already, line by line. If nothing else is likely enough by itself, all of it is excluded: it was
 * only good enough beside the best.
 * @param prompt texts that are in the prompt
 */
export function excludeKnown(
  candidates: readonly Candidate[],
  prompt: readonly string[],
  minScore: number,
): readonly Candidate[] {
  const known = new Set(prompt.flatMap(linesOf));
  const isKnown = ({ excluded, passage }: Candidate): boolean => {
    const lines = excluded === null ? linesOf(passage.text) : [];
    return lines.length > 0 && lines.every((line) => known.has(line));
  };
  const left = candidates.filter((each) => each.excluded === null && !isKnown(each));
  if (!candidates.some(isKnown)) return candidates;
  const isEnough = left.some(({ score }) => score >= minScore);
  return candidates.map((each) => {
    if (isKnown(each)) return { ...each, excluded: 'prompt' };
    return each.excluded !== null || isEnough ? each : { ...each, excluded: 'threshold' };
  });
}

/** The lines of a text, without the marks of headings, lists and quotations, which a prompt may leave out. */
function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const words = line.replace(/^[\s>#*+-]+/, '').trim();
    return words === '' ? [] : [words];
  });
}
