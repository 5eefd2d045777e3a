import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The tests of the page in a real browser, on a real `loci serve`: `npm run test:web`. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/web/**/*.test.ts'],
    pool: 'threads',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    globalSetup: ['test/bundles.ts'],
    reporters: ['default', './test/reporter.ts'],
  },
});

export default config;
