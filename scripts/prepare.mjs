// npm runs `prepare` after an install, and again when `npx loci` links the clone for the first time. A build that is newer
// than all of its inputs is kept, so that no running process loses its files.
import { execSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const modified = (path) => statSync(root + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const built = modified('dist/bundle/index.js');
// Folders are included, because their modification time changes when a file in them is deleted.
const inputs = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/bundle.ts',
  'src',
  ...globSync('src/**', { cwd: root }),
];
// The output of `npm pack --silent` is the name of the tarball alone.
if (inputs.some((path) => modified(path) > built))
  execSync('npm run build', { cwd: root, stdio: ['inherit', process.stderr, 'inherit'] });
