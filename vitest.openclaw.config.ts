import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The tests on the real OpenClaw, which share one gateway: `npm run test:openclaw`. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/openclaw/**/*.test.ts'],
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    // Setup runs a dozen commands of OpenClaw, each of which takes seconds.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    globalSetup: ['test/openclaw/global-setup.ts'],
    reporters: ['default', './test/reporter.ts'],
  },
});

export default config;
