import { userInfo } from 'node:os';

/** Whose process this is; a container may run as a number that has no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? 'unknown')}`;
  }
}
