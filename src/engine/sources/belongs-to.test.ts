import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../test/contract/export-samples.ts';
import { note, write as writeRecords } from '../../../test/contract/store-samples.ts';
import { reindex } from '../health/reindex.ts';
import { write } from '../records/write.ts';
import { withLease } from '../refresh/lease.ts';
import { updateBelongsTo } from './belongs-to.ts';

describe('the edges of documents', () => {
  it('are updated after a change and after a reindex, which discards them', async () => {
    const context = await openEngine();
    const { id } = await write(context, { content: 'The backsplash gets a blue tile.' });
    const todo = note('Buy tile samples', { origin: 'source', source: 'tasks' });
    const [document = 0] = await writeRecords(context.store, context.namespace, todo);
    const notes = async (): Promise<number[]> => {
      const edges = await context.store.records.belongsTo(context.namespace, { documents: [document] });
      return edges.map((edge) => edge.note);
    };
    expect(await notes()).toEqual([]);
    await updateBelongsTo(context);
    expect(await notes()).toEqual([id]);
    await context.store.admin.resetDerived(context.namespace, { drop: false, vectors: false });
    expect(await notes()).toEqual([]);
    await reindex(context);
    expect(await notes()).toEqual([id]);
  });

  it('are left to a process that is updating them', async () => {
    const context = await openEngine();
    await write(context, { content: 'The backsplash gets a blue tile.' });
    const { namespace, store } = context;
    await withLease(context, { namespace, name: 'belongs-to' }, () => updateBelongsTo(context));
    const { lastChange, belongsToChange } = await store.records.bounds(namespace);
    expect([lastChange > 0, belongsToChange]).toEqual([true, 0]);
  });
});
