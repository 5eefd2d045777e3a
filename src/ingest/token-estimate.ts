const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
const CHARACTERS_PER_TOKEN = 4;

/** Tokens of a text when no model is there to count them: a CJK character each, else four characters a token. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN);
}
