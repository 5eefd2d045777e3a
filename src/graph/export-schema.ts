import { z } from 'zod';
import { EDGE_TYPES, NODE_TYPES } from '../core/graph-types.ts';

/** Grows when the meaning of a field changes. */
export const EXPORT_VERSION = 1;

const provenance = z.strictObject({
  node: z.string().describe('The node of the record that says it.'),
  record: z
    .string()
    .describe('The record: `VAULT:PATH` of a note or document, `uuid:UUID` of a record that was written.'),
  lines: z
    .strictObject({ first: z.int().positive(), last: z.int().positive() })
    .nullable()
    .describe('Its lines, from 1, inclusive; null for a statement of its properties, or of the whole text.'),
  hash: z
    .string()
    .describe('SHA-256 of these lines without the last line break; of the whole text without lines.'),
});

const node = z.strictObject({
  id: z.string(),
  type: z.enum(NODE_TYPES),
  title: z.string(),
  project: z.string(),
  l0_abstract: z
    .string()
    .nullable()
    .describe('The sentence that says what it is; null for a node without a text.'),
  l1_summary_ref: z
    .string()
    .nullable()
    .describe(
      'Names its summary: `l1:` and the id of the node, then `@` and the beginning of the hash of its text.',
    ),
  tags: z.array(z.string()),
  task: z
    .strictObject({
      done: z.boolean(),
      due: z.iso.date().nullable().describe('The day on which it is due.'),
    })
    .nullable(),
  provenance,
});

const edge = z.strictObject({
  src: z.string(),
  dst: z.string(),
  type: z.enum(EDGE_TYPES),
  weight: z.number().positive().max(1),
  reason: z.string(),
  provenance,
});

/** The file that `loci graph export` writes. The nodes are in the order of their ids, the edges by source, type and target. */
export const exportSchema = z.strictObject({
  version: z.literal(EXPORT_VERSION),
  project: z.string().nullable().describe('The only project in the file; null for all.'),
  nodes: z.array(node),
  edges: z.array(edge),
});

export const exportedNode = node;
export const exportedEdge = edge;
export type ExportedNode = z.infer<typeof node>;
export type ExportedEdge = z.infer<typeof edge>;
export type ExportedProvenance = z.infer<typeof provenance>;
export type ExportedGraph = z.infer<typeof exportSchema>;
