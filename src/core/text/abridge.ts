/** The text, or its first `maxLength` characters with an ellipsis. */
export function abridge(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
