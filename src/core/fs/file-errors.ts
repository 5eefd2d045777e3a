import { LociError, messageOf } from '../errors.ts';

/** The code of an error of the operating system, such as `ENOENT`. */
export function systemErrorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  ENOTDIR: 'there is a file where a folder should be',
  EEXIST: 'there is a file where a folder should be',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EROFS: 'the disk is read-only',
  EIO: 'the disk failed',
};

/** Whether there is no space left on the disk, or none that this user may use. */
export function isDiskFull(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Describes an error with a file, to follow the name of the file and a colon. It names no path. */
export function describeFileError(error: unknown): string {
  const code = error instanceof LociError ? null : systemErrorCode(error);
  if (code === null) return messageOf(error);
  return DESCRIPTIONS[code] ?? `the system reports ${code}`;
}

/** The error of a file that cannot be read. */
export function unreadableError(path: string, cause: unknown): LociError {
  return new LociError('unreadable', `${path} cannot be read: ${describeFileError(cause)}`, { cause });
}

/** Converts a thrown value of any kind to an error of the table, as surfaces report it. */
export function asLociError(error: unknown): LociError {
  if (error instanceof LociError) return error;
  if (!(error instanceof Error)) return new LociError('internal', messageOf(error));
  const { syscall, path = '' } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) {
    const code = isDiskFull(error) ? 'store_full' : 'unreadable';
    return new LociError(code, `${path || syscall}: ${describeFileError(error)}`, { cause: error });
  }
  return new LociError('internal', messageOf(error), { cause: error });
}
