import { messageOf } from '../../core/errors.ts';

/** The code of a file system's error, such as `ENOENT`. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'too many files are open',
  EIO: 'the disk failed',
};

/** What went wrong, without the machine's paths. */
export function describeError(error: unknown): string {
  const code = errorCode(error);
  return code === null ? messageOf(error) : (WORDS[code] ?? code);
}
