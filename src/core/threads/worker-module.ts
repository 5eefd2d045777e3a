/**
 * The URL of a worker's module in the folder of the module that starts it. The extension is `.ts` when Node runs the sources
 * and `.js` after compilation, because `tsc` rewrites imports but not strings that are passed to `new Worker`.
 */
export function workerModule(importMetaUrl: string, name: string): URL {
  return new URL(`./${name}${importMetaUrl.endsWith('.ts') ? '.ts' : '.js'}`, importMetaUrl);
}
