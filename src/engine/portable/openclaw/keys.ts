import { LociError } from '../../../core/errors.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { EngineContext } from '../../context.ts';
import { assertWithinLimits } from '../../records/limits.ts';
import { screened } from '../../records/screen.ts';
import { hashOf } from './match.ts';
import type { Piece } from './pieces.ts';

const HEADING_LENGTH = 150;
/** With a heading and a number still a key. */
const PATH_LENGTH = 300;

/**
 * Records are known by the path of their file, which so stands in each of them as it is.
 * @throws LociError `invalid_input`, `secret_refused`
 */
export async function assertImportablePath(context: EngineContext, path: string): Promise<void> {
  if (path.length > PATH_LENGTH)
    throw new LociError(
      'invalid_input',
      `its path has ${String(path.length)} characters; at most ${String(PATH_LENGTH)} fit`,
    );
  assertWithinLimits({ key: path });
  const { masked } = await screened(context, { title: path });
  if (masked.length > 0)
    throw new LociError('secret_refused', `its path holds a secret: ${masked.join(', ')}`);
}

/** Where a piece stood when it was first imported. */
export function placeOf(path: string, piece: Piece): string {
  const heading = piece.heading.slice(0, HEADING_LENGTH).toWellFormed();
  const point = piece.kind === 'point' ? `/${hashOf(piece).slice(0, 8)}` : '';
  return `${path}#${heading}${point}`;
}

/** Keys of the records of a file. */
export class Keys {
  readonly #taken: Set<string>;
  /** Up to which number those of a place are taken. */
  readonly #numbers = new Map<string, number>();

  constructor(held: readonly LociRecord[]) {
    this.#taken = new Set(held.map(({ key }) => key ?? ''));
  }

  /** The place, or where something stands there already, the place with a number. */
  unique(place: string): string {
    for (let number = (this.#numbers.get(place) ?? 0) + 1; ; number++) {
      const key = number === 1 ? place : `${place}~${String(number)}`;
      if (this.#taken.has(key)) continue;
      this.#numbers.set(place, number);
      this.#taken.add(key);
      return key;
    }
  }
}
