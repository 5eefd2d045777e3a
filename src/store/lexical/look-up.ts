import { stem } from '../../core/text/analyze.ts';
import type { StoredLanguage } from '../../core/text/language/language.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import type { TermInfo, Vocabulary } from '../search-model.ts';
import { compoundsOf, inflectionsOf } from './inflections.ts';
import type { KnownWords } from './known-words.ts';
import { isCorrectable, nearestWords } from './spelling.ts';

/**
 * Counts the passages of words, and finds their inflections and corrections. Past the deadline, words get none, or only those that
 * were found until then.
 * @param candidates languages that the words may have
 */
export async function lookUp(
  known: KnownWords,
  words: readonly string[],
  candidates: readonly StoredLanguage[],
  deadline: Deadline,
): Promise<Vocabulary> {
  const counts = new Map<string, number>();
  const count = async (stems: readonly string[]): Promise<void> => {
    const missing = [...new Set(stems)].filter((each) => !counts.has(each));
    if (missing.length === 0) return;
    for (const [each, passages] of await known.stemCounts(missing)) counts.set(each, passages);
  };
  const passagesWith = (stems: readonly string[]): number =>
    stems.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0);
  const [stored] = await Promise.all([known.languages(), count(words.map(stem))]);
  const languages = candidates.filter((language) => stored.includes(language));
  // A word that no passage has may be of a language in which only a few passages are.
  const possible = words.map((word) => (passagesWith([stem(word)]) > 0 ? languages : candidates));
  const inflections = await inflectionsOf(known, words, possible, deadline);
  await count(inflections.flat());
  const terms: TermInfo[] = [];
  for (const [i, word] of words.entries()) {
    const found = passagesWith([stem(word), ...inflections[i]!]);
    // A word that passages have does not stand for its compounds, which are other things.
    const variants = found > 0 ? inflections[i]! : await compoundsOf(known, word, languages);
    await count(variants);
    const passages = found > 0 ? found : passagesWith(variants);
    if (passages > 0 && variants.length > 0) terms.push({ word, passages, near: [], variants });
    else if (passages > 0 || !isCorrectable(word)) terms.push({ word, passages, near: [] });
    else {
      const similar = await known.near(word);
      const isPartial = similar === null || deadline.isPast;
      terms.push({
        word,
        passages: 0,
        near: nearestWords(word, similar ?? []),
        ...(isPartial && { isPartial }),
      });
    }
  }
  return { terms, languages: [...stored] };
}
