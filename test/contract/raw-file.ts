import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Finds the files below a folder whose bytes contain a text, as UTF-8 or as UTF-16 in either byte order. It proves that a
 * text did not reach the disk: search a store's folder while the store is open, so that the write-ahead log is searched too,
 * and again after the store is closed.
 *
 * @param text at least eight characters: a file may contain a shorter text by chance
 * @returns paths relative to the folder, sorted
 * @throws RangeError if the text is shorter or the folder has no file, because such a search proves nothing
 */
export function filesContaining(folder: string, text: string): readonly string[] {
  if (text.length < 8) throw new RangeError('the text is shorter than eight characters');
  const utf16 = Buffer.from(text, 'utf16le');
  const encodings = [Buffer.from(text, 'utf8'), utf16, Buffer.from(utf16).swap16()];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  if (files.length === 0) throw new RangeError('the folder has no file');
  return files
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return encodings.some((encoding) => bytes.includes(encoding));
    })
    .map((path) => path.slice(join(folder, '/').length))
    .sort();
}
