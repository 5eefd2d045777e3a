/** The library: `const loci = await openLoci((await loadConfig()).values)`. */

export { openLoci, type Loci, type OpenOptions } from './engine/open.ts';
export type { FindRequest, FindResponse, FoundRecord } from './engine/find.ts';
export type { Check } from './engine/check.ts';
export type { Status } from './engine/health.ts';
export { IncompleteIndexError, type IndexReport } from './engine/index-vaults.ts';
export { type IndexOptions, type Progress } from './engine/long-call.ts';
export type { ReadRecord } from './engine/read.ts';
export type { ReindexOptions, ReindexReport } from './engine/reindex.ts';
export type { WriteRequest, WriteResponse } from './engine/write.ts';
export { loadConfig, type LoadedConfig } from './core/config/load.ts';
export type { Config } from './core/config/schema.ts';
export { ERROR_TABLE, LociError, type ErrorCode } from './core/errors.ts';
export type { LociRecord, Metadata, Origin, Passage } from './core/types.ts';
