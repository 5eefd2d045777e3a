import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { bundledThreads } from './test/bundles.ts';

/** The tests on the real LanceDB: `npm run test:lancedb`. */
const config: ViteUserConfig = defineConfig({
  plugins: [bundledThreads],
  test: {
    include: ['test/lancedb/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    globalSetup: ['test/lancedb/installation.ts'],
    reporters: ['default', './test/reporter.ts'],
  },
});

export default config;
