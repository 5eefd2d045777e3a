import { sha256 } from '../core/ids.ts';
import type { LociRecord } from '../core/types.ts';

/** Hexadecimal digits of an id. A collision in a namespace of a million nodes has a probability of 3e-8. */
const ID_DIGITS = 16;

/** The fields of a record that make up the id of its node. */
export type IdentifiedRecord = Pick<LociRecord, 'origin' | 'source' | 'key' | 'identity' | 'uuid'>;

/**
 * The id of the node of a record: from its vault or source and its identity there, else its key, else its UUID. So the same
 * vault has the same ids on two machines.
 * @param sharesIdentity whether another document of the source has the same identity; then the key identifies it
 */
export function recordNodeId(record: IdentifiedRecord, sharesIdentity: boolean): string {
  const { origin, source, key, identity, uuid } = record;
  if ((origin !== 'vault' && origin !== 'source') || key === null) return nodeId('n', ['record', uuid]);
  return identity === null || sharesIdentity
    ? nodeId('n', ['key', source, key])
    : nodeId('n', ['identity', source, identity]);
}

export function projectNodeId(project: string): string {
  return nodeId('p', [project]);
}

/** The id of the concept of a tag in a project. The case of a tag does not matter. */
export function tagNodeId(project: string, tag: string): string {
  return nodeId('c', ['tag', project, tag.normalize('NFC').toLowerCase()]);
}

/**
 * The id of a task of a note. It does not depend on the line, so that it stays when lines are added above it.
 * @param name the block id of the task, else its text
 * @param repetition how many tasks with the same name precede it in the note
 */
export function taskNodeId(note: string, name: string, repetition: number): string {
  return nodeId('t', [note, name, String(repetition)]);
}

/** The form of every id. */
export const NODE_ID = /^[a-z]_[0-9a-f]{16}$/;

/** @param kind a letter that says to a reader what the node is: `n` record, `p` project, `t` task, `c` concept */
export function nodeId(kind: 'n' | 'p' | 't' | 'c', parts: readonly string[]): string {
  return `${kind}_${sha256(JSON.stringify(parts)).slice(0, ID_DIGITS)}`;
}

/** Compares ids and other keys by UTF-16 code unit, so that their order is the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
