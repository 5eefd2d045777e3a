/** The library: `const loci = await openLoci((await loadConfig()).values)`. */

export { openLoci, type Loci, type OpenOptions } from './engine/open.ts';
export type { SearchRequest, SearchResponse, SearchResult } from './engine/records/search.ts';
export type { GraphIndexRequest, GraphIndexResponse } from './engine/packs/graph-index.ts';
export type { GraphPackRequest, GraphPackResponse } from './engine/packs/graph-pack.ts';
export type { PackItem, PackRequest, PackResponse } from './engine/packs/memory-pack.ts';
export type { Receipt } from './pack/receipt.ts';
export type { ReadOnlyMemorySource, Registration } from './engine/reading/configured/registered-sources.ts';
export type { RefreshResult, Sources } from './engine/reading/sources.ts';
export type { RefreshReport } from './engine/reading/refresh/refresh.ts';
export type { FetchedDocument as MemoryDocument } from './sources/document.ts';
export type { Check } from './engine/health/check.ts';
export type { Status } from './engine/health/status.ts';
export { IncompleteIndexError, type IndexReport } from './engine/reading/index-vaults.ts';
export type { Progress } from './core/progress.ts';
export type { IndexOptions } from './engine/reading/refresh/refresh-vault.ts';
export type { GetResponse } from './engine/records/get.ts';
export type { ReindexOptions, ReindexReport } from './engine/health/reindex.ts';
export type { WriteRequest, WriteResponse } from './engine/records/write.ts';
export { loadConfig, type LoadedConfig } from './config/load.ts';
export type { Config } from './config/schema.ts';
export { ERROR_TABLE, LociError, type ErrorCode } from './core/errors.ts';
export type { LociRecord, Metadata, Origin, Passage } from './core/types.ts';
