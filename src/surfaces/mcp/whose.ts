import type { Trust } from '../../core/types.ts';

/** Whose word a record is, to a model: `the word of the user`. */
export const WHOSE: Readonly<Record<Trust, string>> = {
  operator: 'the user',
  agent: 'an agent',
  external: 'somebody else',
};
