// npm runs `prepare` after an install, before `npm pack`, and when `npx loci` links the clone for the first time. A build that is newer
// than all that it was made from is kept, so that no running process loses its files.
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));
const modified = (path) => statSync(root + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What the build reads. Folders are included, because their modification time changes when a file in them is deleted. */
const INPUTS = [
  'package.json',
  'package-lock.json',
  'openclaw.plugin.json',
  '{src,web,scripts,openclaw,test/adapters/contract}/{,**}',
];

/** Runs a script unless its output is newer than its inputs. The output of `npm pack --silent` is the name of the tarball alone. */
export function buildUnlessCurrent(script, output, inputs = INPUTS) {
  const built = modified(output);
  const isCurrent = globSync(inputs, { cwd: root }).every((path) => modified(path) <= built);
  if (isCurrent) return;
  const { status } = spawnSync(process.execPath, [root + script], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

buildUnlessCurrent('scripts/build.ts', 'dist/.built');
