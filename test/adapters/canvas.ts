import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { LociAdapter } from '../../src/adapters/contract.ts';
import { temporaryFolder, writeNotes } from '../contract/engines.ts';

/** A canvas is found by its cards, and shown as their text, without the JSON around it. */
export async function assertCanvasIsText(create: (home: string) => Promise<LociAdapter>): Promise<void> {
  await using folder = await temporaryFolder();
  const cards = [
    { id: 'a', type: 'text', x: 0, y: 0, width: 9, height: 9, text: 'The heron nests.' },
    { id: 'b', type: 'text', x: 0, y: 9, width: 9, height: 9, text: 'The otter sleeps.' },
  ];
  await writeNotes(folder.path, { 'pool/Birds.canvas': JSON.stringify({ nodes: cards, edges: [] }) });
  const adapter = await create(join(folder.path, 'home'));
  try {
    await adapter.registerPools([{ id: 'pool', tier: 'hot', path: join(folder.path, 'pool') }]);
    const [result, ...others] = await adapter.recall({ agentId: 'main', query: 'heron' });
    assert.deepEqual(others, []);
    assert.match(result?.snippet ?? '', /^The heron nests\.\s+The otter sleeps\.$/);
    const note = await adapter.resolveReference(result!.uri, 'main');
    assert.match(note?.content ?? '', /^The heron nests\./);
    assert.deepEqual(await adapter.recall({ agentId: 'main', query: 'width' }), []);
  } finally {
    await adapter.close();
  }
}
