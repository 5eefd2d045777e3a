import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { repetitions } from '../../../test/repetitions.ts';
import { LociError } from '../../core/errors.ts';
import type { EngineContext } from '../context.ts';
import { deleteRecord, undelete } from '../records/delete.ts';
import { update } from '../records/update.ts';
import { write } from '../records/write.ts';
import { listInbox } from './inbox.ts';
import { undoChanges } from './undo.ts';

const RECORDS = 3;
const content = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', 'c\n'), { minLength: 1, maxLength: 8 })
  .map((parts) => `x${parts.join('')}`);
const step = fc.record({
  by: fc.constantFrom('owner', 'agent', 'agent'),
  record: fc.nat(RECORDS - 1),
  change: fc.oneof(
    fc.record({ content }),
    fc.record({ title: fc.constantFrom('', 'One', 'Two') }),
    fc.record({ tags: fc.constantFrom<string[]>([], ['x'], ['x', 'y']) }),
    fc.constant('delete' as const),
    fc.constant('undelete' as const),
  ),
});

it('undoing all of a session leaves every record as its owner left it, and taking that back as the agent did', async () => {
  await using folder = await temporaryFolder();
  const loci = await openInline(settings(folder.path, { writes: { enabled: true } }));
  try {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(content, { maxLength: 2 }),
        async (steps, written) => {
          const namespace = `n${String(run++)}`;
          const owner = loci.as({ ...loci.caller, namespace });
          const agent = owner.as({
            ...owner.caller,
            actor: 'claude',
            surface: 'mcp',
            trust: 'agent',
            session: 's',
          });
          for (let i = 0; i < RECORDS; i++) await write(owner, { content: `record ${String(i)}` });
          const left = await statesOf(owner);
          for (const { by, record, change } of steps) {
            const isDone = await isChanged(by === 'owner' ? owner : agent, record + 1, change);
            if (isDone && by === 'owner') left[record] = (await statesOf(owner))[record]!;
          }
          for (const text of written) await write(agent, { content: text });
          const after = await statesOf(owner);
          const [group] = (await listInbox(owner)).groups;
          if (group === undefined) return;
          const { undo } = await undoChanges(owner, { group: group.id });
          const undone = await statesOf(owner);
          expect(undone.slice(0, RECORDS)).toEqual(left);
          expect(undone.slice(RECORDS).every((each) => each.isDeleted)).toBe(true);
          if (undo !== null) await undoChanges(owner, { undo });
          expect(await statesOf(owner)).toEqual(after);
          expect((await listInbox(owner)).total).toBe(group.total);
        },
      ),
      { numRuns: repetitions(20, 500) },
    );
  } finally {
    await loci.close();
  }
});

/** Returns `false` for a change that a record in its state refuses, and for one that changes nothing. */
async function isChanged(
  context: EngineContext,
  id: number,
  change: 'delete' | 'undelete' | { content?: string; title?: string; tags?: string[] },
): Promise<boolean> {
  try {
    if (change === 'delete') await deleteRecord(context, { id });
    else if (change === 'undelete') await undelete(context, { id });
    else return (await update(context, { id, ...change })).changed.length > 0;
    return true;
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
    return false;
  }
}

async function statesOf({ store, namespace }: EngineContext) {
  const ids = Array.from({ length: RECORDS + 2 }, (_, i) => i + 1);
  return (await store.records.get(namespace, ids, 'any')).map(
    ({ content: text, title, tags, trust, contentHash, deletedAt }) => ({
      ...{ text, title, tags, trust, contentHash },
      isDeleted: deletedAt !== null,
    }),
  );
}
