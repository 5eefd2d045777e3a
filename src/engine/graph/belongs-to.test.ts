import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../test/contract/export-samples.ts';
import { note, write as writeRecords } from '../../../test/contract/store-samples.ts';
import type { Config } from '../../config/schema.ts';
import { EngineContext } from '../context.ts';
import { reindex } from '../health/reindex.ts';
import { write } from '../records/write.ts';
import { withLease } from '../shared/lease.ts';
import { updateBelongsTo } from './update-relations.ts';

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
    await context.store.admin.resetDerived(context.namespace, { text: false, vectors: false });
    expect(await notes()).toEqual([]);
    await reindex(context);
    expect(await notes()).toEqual([id]);
  });

  it('lead to no note of a disabled vault', async () => {
    const context = await openEngine();
    const notes = ['Work', 'Home'].map((source) =>
      note('Buy tile samples', { origin: 'vault', source, key: `${source}.md` }),
    );
    const todo = note('Buy tile samples', { origin: 'source', source: 'tasks' });
    const written = await writeRecords(context.store, context.namespace, ...notes, todo);
    const [work = 0, home = 0, document = 0] = written;
    const notesWith = async (vaults: Config['vaults']): Promise<number[]> => {
      const { config, store, now } = context;
      await updateBelongsTo(EngineContext.create({ ...config, vaults }, store, { now }));
      const edges = await context.store.records.belongsTo(context.namespace, { documents: [document] });
      return edges.map((edge) => edge.note);
    };
    expect(await notesWith([])).toEqual([work, home]);
    expect(
      await notesWith([
        { path: '/work', name: 'Work', enabled: false, refreshInterval: 0, includeInContext: true },
      ]),
    ).toEqual([home]);
    expect(await notesWith([])).toEqual([work, home]);
  });

  it('are left to a process that is updating them', async () => {
    const context = await openEngine();
    await write(context, { content: 'The backsplash gets a blue tile.' });
    const { namespace, store } = context;
    await withLease(context, { namespace, name: 'belongs-to' }, () => updateBelongsTo(context));
    const { lastChange, belongsTo } = await store.records.bounds(namespace);
    expect([lastChange > 0, belongsTo.upTo]).toEqual([true, 0]);
  });
});
