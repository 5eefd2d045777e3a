import { expect, it } from 'vitest';
import { nodeTypeOf } from './record-graph.ts';

const note = { origin: 'vault', source: 'notes', key: 'a.md', recordType: 'note', metadata: {} } as const;

it.each([
  ['a tag of the note', 'Call Ann #task', 'task'],
  ['a tag in the front matter', '---\ntags: [task]\n---\nCall Ann', 'task'],
  ['the tag of a task in the note', 'Walked.\n- [ ] Call Ann #task 📅 2026-12-01', 'note'],
  ['the tag of a task in a quoted list', '> 1. [x] Call Ann #task', 'note'],
])('a note is a task by %s: %j', (_, content, type) => {
  expect(nodeTypeOf({ ...note, tags: ['task'], content }, {})).toBe(type);
});
