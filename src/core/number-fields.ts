import { z } from 'zod';

/** A number of things. */
export const count = () => z.number().int().nonnegative();

/** A part of a whole, or a probability. */
export const share = () => z.number().min(0).max(1);
