/** Quotes a value for a POSIX shell if it needs quotes. A `~` at the beginning is left for the shell to expand. */
export function shellWord(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (/^[\w~@%+=:,./-]+$/.test(text)) return text;
  return text.includes('"') || /[$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
