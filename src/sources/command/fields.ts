import type { MemoryDocument } from '../document.ts';

/**
 * What of a document may be stored: its id, and the parts that `fields` names; `metadata.sender` keeps that entry alone.
 * Without `text`, the title becomes the text. `null` where nothing to read is left.
 */
export function restrictTo(document: MemoryDocument, fields: readonly string[]): MemoryDocument | null {
  const keeps = (field: string): boolean => fields.includes(field);
  const title = keeps('title') ? document.title : null;
  // A text that is only the title's stand-in goes where the title goes.
  const mayShowText = keeps('text') && document.text !== document.title;
  const text = mayShowText ? document.text : title;
  if (text === null) return null;
  return {
    id: document.id,
    text,
    title,
    tags: keeps('tags') ? document.tags : [],
    timestamp: keeps('timestamp') ? document.timestamp : null,
    metadata: keeps('metadata')
      ? document.metadata
      : Object.fromEntries(Object.entries(document.metadata).filter(([name]) => keeps(`metadata.${name}`))),
    completed: keeps('completed') ? document.completed : null,
    project: keeps('project') ? document.project : null,
    url: keeps('url') ? document.url : null,
  };
}
