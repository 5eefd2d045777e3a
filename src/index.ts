/** The library: `const loci = await openLoci()`. */

export { openLoci, type Loci, type OpenOptions } from './surfaces/library/open.ts';
export type { CallOptions } from './surfaces/library/methods.ts';
export { ERROR_TABLE, LociError, type ErrorCode } from './core/errors.ts';
export type { Progress } from './core/progress.ts';
export type { Json } from './core/types.ts';
export type { ReadOnlyMemorySource, Registration } from './engine/reading/configured/registered-sources.ts';
export type { FetchedDocument as MemoryDocument } from './sources/document.ts';
