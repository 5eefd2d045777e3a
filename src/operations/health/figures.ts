import { z } from 'zod';
import { figures, figuresOutput } from '../../engine/health/figures.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

export const figuresOperation: Operation<typeof input, typeof figuresOutput> = {
  name: 'figures',
  title: 'Show figures over time',
  description:
    'Shows how large the store was on each day on which a server ran, and how long the searches of agents took on each day.',
  input,
  output: figuresOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  local: true,
  onPage: true,
  unrecorded: true,
  examples: [{ title: 'The growth of the store, and the speed of searches', input: {} }],
  run: async (context) => figures(await context.loci()),
};
