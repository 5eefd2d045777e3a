/** `1 note`, `2 notes`; `0 entries`, where the plural is told. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}
