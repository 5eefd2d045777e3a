import { LociError, messageOf } from '../errors.ts';

/** The code of a file system's error, such as `ENOENT`. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a file stands where a folder should be',
  EEXIST: 'a file stands where a folder should be',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full: your quota is used up',
  EROFS: 'the disk can only be read',
  EIO: 'the disk failed',
};

/** What went wrong with a file, to follow its name and a colon; without paths or the system's own words. */
export function describeFileError(error: unknown): string {
  const code = error instanceof LociError ? null : errorCode(error);
  if (code === null) return messageOf(error);
  return WORDS[code] ?? `the system says ${code}`;
}

/** Whatever was thrown, as an error of the table: a surface tells nothing else. */
export function asLociError(error: unknown): LociError {
  if (error instanceof LociError) return error;
  if (!(error instanceof Error)) return new LociError('internal', messageOf(error));
  const { syscall, path = '' } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) {
    return new LociError('unreadable', `${path || syscall}: ${describeFileError(error)}`, { cause: error });
  }
  return new LociError('internal', messageOf(error), { cause: error });
}
