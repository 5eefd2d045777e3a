import { readFileSync } from 'node:fs';
import type { KnipConfig } from 'knip';

/** Packages that the root of the repository uses and does not install by default. `test/arch/package.test.ts` finds unused ones. */
const tools = Object.keys(
  (JSON.parse(readFileSync('tools/package.json', 'utf8')) as { dependencies: object }).dependencies,
);

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        'src/index.ts!',
        'src/adapters/index.ts!',
        'test/adapters/contract/suite.ts!',
        'src/surfaces/cli/main.ts!',
        'src/surfaces/openclaw/*-plugin.ts!',
        'src/core/threads/task-worker.ts!',
        'src/adapters/lancedb/read-notes.ts!',
        'src/sources/files/exclusion-rules.ts!',
        'src/store/sqlite/thread.ts!',
        'src/embed/local/process.ts!',
        'src/embed/local/worker.ts!',
        'test/openclaw/*.test.ts',
        'test/openclaw/{global-setup,host-types}.ts',
        'test/openclaw/loop-monitor.mjs',
        'scripts/*.{mjs,ts}',
        'examples/{adapter,sources}/*.mjs',
        'examples/sources/skills/*/*.mjs',
        'web/src/{,standalone/}main.tsx!',
        'web/*.config.ts',
        'test/web/{browser,*.test}.ts',
      ],
      project: [
        'src/**/*.ts!',
        'web/src/**/*.{ts,tsx}!',
        '!src/**/*.test.ts!',
        'test/adapters/contract/*.ts!',
        '{test,eval,bench,scripts,examples}/**/*.{ts,mjs}',
      ],
      vitest: { config: ['vitest*.config.ts'] },
      eslint: true,
      ignoreDependencies: [...tools, 'loci-node', 'openclaw'],
      ignoreBinaries: [...tools, 'tsc'],
    },
    tools: { ignoreDependencies: ['.*'] },
  },
  ignore: ['**/fixtures/**', '**/*.as.ts', 'src/**/kernel/**'],
  ignoreExportsUsedInFile: { interface: true, type: true },
};

export default config;
