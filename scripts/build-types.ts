/**
 * Writes `dist/index.d.ts` and its like, the types of the library and those of the packages that it names: `npm pack` runs this, because
 * it takes ten times as long as the rest of the build.
 */

import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { libraryModules } from './bundle.ts';
import { libraryTypes } from './library-types.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Several processes may pack at the same time. */
const TYPES = join(ROOT, `.cache/types-${String(process.pid)}`);

const tsc = join(ROOT, 'node_modules/typescript-7/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json')], {
  stdio: ['ignore', 2, 2],
});
// The compiler writes only what has changed since the last time.
cpSync(join(ROOT, '.cache/types'), TYPES, { recursive: true });
writeFileSync(join(TYPES, 'src/surfaces/library/methods.d.ts'), await libraryTypes());
appendFileSync(join(TYPES, 'src/index.d.ts'), `export type * from './surfaces/library/methods.ts';\n`);
const build = await rolldown({
  input: libraryModules(TYPES, '.d.ts'),
  // The messages of `zod` in other languages are no part of any type.
  external: [/^node:/, /\/locales\//],
  plugins: [dts({ dtsInput: true, emitDtsOnly: true })],
});
await build.write({ dir: join(ROOT, 'dist') });
rmSync(TYPES, { recursive: true });
