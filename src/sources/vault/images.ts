import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { readWithin } from '../files/read-file.ts';

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;

/** The images among the files that a walk passes by. */
export async function imagesOf(
  walk: (onOtherFile: (key: string) => void) => AsyncGenerator,
): Promise<string[]> {
  const images: string[] = [];
  const files = walk((key) => {
    if (IMAGE_NAME.test(key)) images.push(key);
  });
  while ((await files.next()).done !== true);
  return images;
}

/** @throws LociError `too_large`, `unreadable` */
export async function readImage(
  realRoot: string,
  key: string,
  maxBytes: number,
  options: { readonly exact: boolean },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const file = await readWithin(realRoot, key, maxBytes, options).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return 'special';
    throw new LociError('unreadable', `${key} cannot be read: ${describeFileError(error)}`, { cause: error });
  });
  if (typeof file === 'string') return null;
  if ('bytes' in file) return file.bytes;
  throw new LociError(
    'too_large',
    `${key} has ${String(file.tooLarge)} bytes; the limit is ${String(maxBytes)}`,
    {
      hint: 'Make the image smaller, or open it in the folder of the vault.',
    },
  );
}
