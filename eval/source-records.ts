import { z } from 'zod';
import type { Metadata } from '../src/core/types.ts';
import type { RecordInput } from '../src/ingest/record-draft.ts';

/** A document as the command of a source prints it. */
export interface PrintedDocument {
  readonly id: string;
  readonly text?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** ISO 8601, in UTC: a set means the same wherever it is run. */
  readonly timestamp?: string;
  /** Only for todos. */
  readonly completed?: boolean;
  readonly project?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

const words = () => z.string().min(1).exactOptional();

export const printedDocument: z.ZodType<PrintedDocument> = z
  .strictObject({
    id: z.string().min(1),
    text: words(),
    title: words(),
    tags: z.array(z.string()).exactOptional(),
    timestamp: z.iso.datetime().exactOptional(),
    completed: z.boolean().exactOptional(),
    project: words(),
    metadata: z.record(z.string(), z.string()).exactOptional(),
  })
  .refine(({ text, title }) => text !== undefined || title !== undefined, 'has neither text nor title');

/** The time of all undated documents, so that recency does not rank them. */
export const UNDATED: number = Date.UTC(2020, 0, 1);

/** The id of a source's document in the set. */
export function sourceDocumentId(source: string, id: string): string {
  return `${source}:${id}`;
}

/** The record of a source's document. */
export function recordOfPrinted(source: string, printed: PrintedDocument): RecordInput {
  const { id, title = '', text = title, tags = [], timestamp, completed, project = 'default' } = printed;
  const kind = completed === undefined ? 'document' : 'task';
  const metadata: Metadata = { ...printed.metadata, ...(completed !== undefined && { completed }) };
  return {
    content: text,
    title,
    project,
    origin: 'source',
    trust: 'external',
    source,
    key: id,
    category: kind,
    recordType: kind,
    tags,
    metadata,
    createdAt: timestamp === undefined ? UNDATED : Date.parse(timestamp),
    expiresAt: null,
  };
}
