import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files under a folder, of whatever kind and depth, whose bytes hold a text anywhere: as UTF-8, or as UTF-16 in either
 * order of bytes. For what must never reach a disk: run it on a store's folder while the store is open, so that the
 * write-ahead log counts, and again once it is closed.
 *
 * @param text at least eight characters: a file may contain a shorter text by chance
 * @returns paths from the folder, in order
 * @throws RangeError where the text is shorter, or the folder has no file: a search of nothing proves nothing
 */
export function filesContaining(folder: string, text: string): readonly string[] {
  if (text.length < 8) throw new RangeError('the text is shorter than eight characters');
  const wide = Buffer.from(text, 'utf16le');
  const forms = [Buffer.from(text, 'utf8'), wide, Buffer.from(wide).swap16()];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  if (files.length === 0) throw new RangeError('the folder has no file');
  return files
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return forms.some((form) => bytes.includes(form));
    })
    .map((path) => path.slice(join(folder, '/').length))
    .sort();
}
