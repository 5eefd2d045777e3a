import { z } from 'zod';
import { EDGE_TYPES, NODE_TYPES } from '../core/graph-types.ts';
import { duration } from './values.ts';

export const graph = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'Whether the graph of notes, tasks and projects is derived and used. Searches work without it.',
    ),
  crossProject: z
    .boolean()
    .default(false)
    .describe(
      'Whether a request may ask to follow edges into other projects (`allow_cross_project`). They are in the graph in any case.',
    ),
  crossProjectTypes: z
    .array(z.enum(EDGE_TYPES))
    .default([])
    .describe('The types of edges that such a request follows into other projects.'),
  deadline: duration('150ms').describe(
    'How long the graph may take while a pack is made. Past it, the pack is made without it. 0 means no deadline.',
  ),
  types: z
    .record(z.string().min(1), z.enum(NODE_TYPES))
    .default({})
    .describe(
      'Types of nodes by folder, such as `Decisions: decision` or `Vault:Decisions: decision`, and by name of a vault or source, ' +
        'such as `calendar: event`. The `type` and tags of a note take precedence.',
    ),
});
