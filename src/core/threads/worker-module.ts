/**
 * The address of a worker's module next to the one that starts it: `.ts` when Node runs the sources,
 * `.js` once compiled (`tsc` rewrites imports, not the strings that `new Worker` is given).
 */
export function workerModule(importMetaUrl: string, name: string): URL {
  return new URL(`./${name}${importMetaUrl.endsWith('.ts') ? '.ts' : '.js'}`, importMetaUrl);
}
