import { fold } from '../../core/text/analyze.ts';
import { languagesOf } from '../../core/text/language/language.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { EngineContext } from '../context.ts';

/** The newest records that are looked at, and the UTF-16 code units of each. */
const SAMPLE = 100;
const MAX_LENGTH = 500;
/** A text with fewer words, such as a list of names, has no recognisable language. */
const MIN_WORDS = 12;
/** A smaller share is not worth a message. */
const MIN_SHARE = 0.1;

/**
 * The share of the newest records that are in other languages than the embedding model's, from `MIN_SHARE` to 1; `null` if it
 * is smaller, or if the model knows many languages.
 */
export async function otherLanguageShare(
  { store, namespace, now }: EngineContext,
  embedder: Embedder,
): Promise<number | null> {
  if (embedder.language !== 'en') return null;
  const newest = await store.records.list(
    namespace,
    { filter: { now: now() } },
    { after: null, limit: SAMPLE },
  );
  const languages = newest.flatMap(({ content }) => isEnglish(content.slice(0, MAX_LENGTH), embedder) ?? []);
  if (languages.length === 0) return null;
  const share = languages.filter((english) => !english).length / languages.length;
  return share < MIN_SHARE ? null : share;
}

/** `null` for a text without a recognisable language. */
function isEnglish(text: string, embedder: Embedder): boolean | null {
  if ((embedder.modelCoverage?.(text) ?? 1) < 0.5) return false;
  const words = (text.match(/\p{L}+/gu) ?? []).map(fold);
  if (words.length < MIN_WORDS) return null;
  const languages = languagesOf(words);
  return languages.length > 1 ? null : languages[0] === 'en';
}
