import { fileURLToPath } from 'node:url';

// Tests start many threads and processes, which share a cache of compiled code. Vitest turns the cache off for its own threads
// while it measures coverage, and the processes that they start inherit this setting; it does not measure these processes.
process.env['NODE_COMPILE_CACHE'] = fileURLToPath(new URL('../.cache/compile', import.meta.url));
delete process.env['NODE_DISABLE_COMPILE_CACHE'];
