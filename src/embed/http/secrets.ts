const MASK = '********';

/**
 * The text without keys, also without those that are escaped as JSON or have lost the blanks around them. Mask a text before it is
 * cut: a part of a key is not recognised.
 */
export function maskKeys(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => {
    const trimmed = secret.trim();
    return trimmed === '' ? [] : [secret, trimmed, JSON.stringify(trimmed).slice(1, -1)];
  });
  // A key may be a part of another.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}
