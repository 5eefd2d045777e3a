const LATIN = /\p{Script=Latin}/gu;
const OTHER = /(?!\p{Script=Latin})\p{L}/gu;
/** One letter of another script counts as this many Latin letters: a Chinese character is about half a word. */
const OTHER_WEIGHT = 3;

/** Share of a text that is written in Latin script, 0 to 1; 1 for a text without letters. */
export function latinShare(text: string): number {
  const latin = text.match(LATIN)?.length ?? 0;
  const other = (text.match(OTHER)?.length ?? 0) * OTHER_WEIGHT;
  return latin + other === 0 ? 1 : latin / (latin + other);
}
