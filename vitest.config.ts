import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

// The tests start the command many times: compiled code is kept between the starts.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('.cache/compile', import.meta.url));

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['{src,test,eval,bench,examples}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, '**/fixtures/**'],
    // Threads without isolation share one module graph: several times faster; no test may change global state.
    pool: 'threads',
    isolate: false,
    // Vitest leaves a core to itself; on a machine with two that would be half of it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/reporter.ts'],
  },
});

export default config;
