import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, with a slash at its end. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

const MAX_LINES = 300;
const VAGUE_NAME = /(^|-)(utils?|helpers?|managers?|common)(-|$)/;

/** Everything people write and read as code, tests included; fixtures are data. */
export function sourceFiles(): string[] {
  const pattern = '{src,web,test,eval,bench,scripts,examples,bin}/**/*.{ts,tsx,js,mjs,sql,css}';
  return globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/fixtures/**', '**/dist/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/** What is wrong with a file of that path and text, apart from what eslint sees. */
export function faultsOf(path: string, text: string): string[] {
  const faults: string[] = [];
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (lines > MAX_LINES)
    faults.push(`${path} has ${lines} lines; when a file grows past ${MAX_LINES} it is two`);
  const parts = path.split('/').map((part) => basename(part).replace(/\..*$/, '').toLowerCase());
  const vague = parts.find((part) => VAGUE_NAME.test(part));
  if (vague !== undefined) faults.push(`${path}: "${vague}" says nothing of what it does`);
  return faults;
}

export function readSource(path: string): string {
  return readFileSync(ROOT + path, 'utf8');
}
