import { NODE_ID, nodeId } from '../model.ts';

/**
 * The id of the concept with this name, or of this note, the same on every machine. Every name of a concept leads to it, so
 * that the ids of concepts that were merged stay valid.
 * @param name the key of a name, or the id of a note's node
 */
export function conceptId(project: string, name: string): string {
  return nodeId('c', ['name', project, name]);
}

export function isConceptId(text: string): boolean {
  return text.startsWith('c_') && NODE_ID.test(text);
}
