/** Retrieval adapters: `const adapter = await createAdapter({ memory: { adapter: 'filesystem' } })`. */

export {
  createAdapter,
  type AdapterConfig,
  type AdapterId,
  type CreateAdapterOptions,
} from './create-adapter.ts';
export type {
  AdapterFolders,
  LociAdapter,
  MemoryAdapterStatus,
  MemoryPoolDefinition,
  MemoryQuery,
  MemoryResult,
  MemoryRetrievalAdapter,
  MemoryTier,
} from './contract.ts';
