import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { bundledThreads } from './test/bundles.ts';
import { LongestFirst } from './test/sequencer.ts';

const cores = availableParallelism();
// The tests on OpenClaw have a configuration of their own, vitest.openclaw.config.ts, and so have others.
const excluded = [...configDefaults.exclude, '**/fixtures/**', 'test/{openclaw,postgres,lancedb,web}/**'];

/** Where tests start processes. `test/no-processes.ts` fails a test elsewhere that starts one. */
const PROCESS_TESTS = [
  'test/{e2e,faults}/**/*.test.ts',
  'examples/**/*.test.ts',
  'eval/main.test.ts',
  'src/engine/reading/**/*.test.ts',
  'src/sources/command/**/*.test.ts',
  'src/sources/vault/{race,unreadable}.test.ts',
  'src/embed/local/{local,embedding-process}.test.ts',
  'src/embed/{command/command,real-servers}.test.ts',
  'src/core/threads/task-thread.test.ts',
  'src/core/text/split-command.test.ts',
  'src/surfaces/openclaw/setup/undo.test.ts',
];

const config: ViteUserConfig = defineConfig({
  plugins: [bundledThreads],
  test: {
    // Threads without isolation share one module graph: several times faster; no test may change global state.
    pool: 'threads',
    isolate: false,
    setupFiles: ['test/compile-cache.ts'],
    // Limits for what hangs. A test waits for a signal, which takes longer on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // AssemblyScript is compiled to WebAssembly, which V8 does not count.
      exclude: ['src/**/*.test.ts', 'src/**/*.as.ts', 'src/**/kernel/**'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'process',
          include: PROCESS_TESTS,
          exclude: excluded,
          globalSetup: ['test/bundles.ts'],
          // These tests mostly wait for other processes.
          maxWorkers: 2 * cores,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,test,eval,bench}/**/*.test.ts'],
          exclude: [...excluded, ...PROCESS_TESTS],
          setupFiles: ['test/no-processes.ts'],
          globalSetup: ['test/postgres/setup.ts'],
          // Vitest leaves a core to itself; on a machine with two that would be half of it.
          maxWorkers: Math.max(2, cores - 1),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

export default config;
