const LATIN = /\p{Script=Latin}/gu;
const OTHER = /(?!\p{Script=Latin})\p{L}/gu;
/** A letter of the other scripts says about as much as so many Latin ones (a Chinese character is half a word). */
const OTHER_WEIGHT = 3;

/** Share of a text that is written in the script the model was trained on; 1 where there are no letters at all. */
export function latinShare(text: string): number {
  const latin = text.match(LATIN)?.length ?? 0;
  const other = (text.match(OTHER)?.length ?? 0) * OTHER_WEIGHT;
  return latin + other === 0 ? 1 : latin / (latin + other);
}
