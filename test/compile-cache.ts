import { fileURLToPath } from 'node:url';

// Tests start threads and processes many times, so compiled code is cached between the starts. Vitest turns that off for its own
// threads while it measures coverage, and they pass their environment on; of others it measures nothing.
process.env['NODE_COMPILE_CACHE'] = fileURLToPath(new URL('../.cache/compile', import.meta.url));
delete process.env['NODE_DISABLE_COMPILE_CACHE'];
