import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The tests on a real server of PostgreSQL: `npm run test:postgres`. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/postgres/**/*.test.ts'],
    pool: 'threads',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    globalSetup: ['test/postgres/real-server.ts'],
    reporters: ['default', './test/reporter.ts'],
  },
});

export default config;
