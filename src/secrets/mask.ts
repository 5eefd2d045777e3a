import type { Secret } from './secret.ts';

/**
 * The text with a word in the place of each secret that says what stood there and holds nothing of it. All else stays
 * as it was, and a masked text has no secrets: to mask it again changes nothing.
 *
 * @param secrets as `detectSecrets` gives them: in order, and apart
 */
export function maskSecrets(text: string, secrets: readonly Secret[]): string {
  let masked = '';
  let from = 0;
  for (const { kind, start, end } of secrets) {
    masked += `${text.slice(from, start)}[secret masked: ${kind}]`;
    from = end;
  }
  return masked + text.slice(from);
}
