import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of the repository, which ends with a slash. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

const VAGUE_NAME = /(^|-)(utils?|helpers?|managers?|common)(-|$)/;

/** All files of code that people write, with tests and without fixtures. */
export function sourceFiles(): string[] {
  const pattern = '{src,web,test,eval,bench,scripts,examples,bin}/**/*.{ts,tsx,js,mjs,sql,css}';
  return globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/fixtures/**', '**/dist/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/** A message for each part of a path that does not say what the file does. */
export function vagueNames(path: string): string[] {
  const parts = path.split('/').map((part) => basename(part).replace(/\..*$/, '').toLowerCase());
  return parts
    .filter((part) => VAGUE_NAME.test(part))
    .map((part) => `${path}: "${part}" does not say what it does`);
}

export function readSource(path: string): string {
  return readFileSync(ROOT + path, 'utf8');
}
