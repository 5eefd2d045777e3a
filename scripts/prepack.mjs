// npm runs `prepack` before it packs Loci. `--types` demands the declarations of types, whose compiler a plain `npm ci` leaves out; else
// they are made where it is installed.
import { existsSync } from 'node:fs';
import { buildUnlessCurrent, root } from './prepare.mjs';

if (process.argv.includes('--types')) await import('./tools.mjs');
if (existsSync(`${root}node_modules/rolldown-plugin-dts`))
  buildUnlessCurrent('scripts/build-types.ts', 'dist/index.d.ts', ['dist/.built']);
else
  console.error(
    'This package has no declarations of types, which only programs in TypeScript need: run `npm run tools` first to add them.',
  );
