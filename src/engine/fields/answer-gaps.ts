import { z } from 'zod';
import { SIGNALS } from '../../search/retrieve/signals.ts';

/** The fields of an answer that say what the search could not do. */
export const answerGaps = {
  missing: z
    .array(z.strictObject({ signal: z.enum(SIGNALS), why: z.string() }))
    .describe('Signals that could not answer; the answer is from the others.'),
  notices: z
    .array(z.string())
    .describe('What else is to be said about the answer, such as vectors of a previous model.'),
};
