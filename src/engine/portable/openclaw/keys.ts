import { LociError } from '../../../core/errors.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { EngineContext } from '../../context.ts';
import { assertWithinLimits } from '../../fields/limits.ts';
import { screenTexts } from '../../records/screen.ts';
import type { Fragment } from './fragments.ts';
import { contentHash } from './matching.ts';

const MAX_HEADING_LENGTH = 150;
/** Leaves room in a key for a heading and a number. */
const MAX_PATH_LENGTH = 300;

/**
 * Checks a path, which becomes part of the keys of its records unchanged.
 * @throws LociError `invalid_input`, `secret_refused`
 */
export async function assertImportablePath(context: EngineContext, path: string): Promise<void> {
  if (path.length > MAX_PATH_LENGTH)
    throw new LociError(
      'invalid_input',
      `its path has ${String(path.length)} characters; the limit is ${String(MAX_PATH_LENGTH)}`,
    );
  assertWithinLimits({ key: path });
  const { masked } = await screenTexts(context, { title: path });
  if (masked.length > 0)
    throw new LociError('secret_refused', `its path contains a secret: ${masked.join(', ')}`);
}

/** The key of a new fragment: its file and heading, and for a list item a hash. */
export function baseKeyOf(path: string, fragment: Fragment): string {
  const heading = fragment.heading.slice(0, MAX_HEADING_LENGTH).toWellFormed();
  const item = fragment.kind === 'item' ? `/${contentHash(fragment).slice(0, 8)}` : '';
  return `${path}#${heading}${item}`;
}

/** Gives the new records of a file keys that no other record of the file has. */
export class KeyAllocator {
  readonly #used: Set<string>;
  /** The highest number given to each base key. */
  readonly #numbers = new Map<string, number>();

  constructor(existing: readonly LociRecord[]) {
    this.#used = new Set(existing.map(({ key }) => key ?? ''));
  }

  /** The base key, with a number if it is in use. */
  allocate(baseKey: string): string {
    for (let number = (this.#numbers.get(baseKey) ?? 0) + 1; ; number++) {
      const key = number === 1 ? baseKey : `${baseKey}~${String(number)}`;
      if (this.#used.has(key)) continue;
      this.#numbers.set(baseKey, number);
      this.#used.add(key);
      return key;
    }
  }
}
