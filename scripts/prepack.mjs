// npm runs `prepack` before it packs the library, and after `prepare`.
import { buildUnlessCurrent } from './prepare.mjs';
import './tools.mjs';

buildUnlessCurrent('scripts/build-types.ts', 'dist/index.d.ts', ['dist/.built']);
