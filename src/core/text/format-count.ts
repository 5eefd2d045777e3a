/** Formats a number with its noun: `1 note`, `2 notes`, or `0 entries` with a given plural. */
export function formatCount(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${String(count)} ${count === 1 ? singular : plural}`;
}
