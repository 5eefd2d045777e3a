import { afterAll, describe, it } from 'vitest';
import { adapterContract } from '../adapters/contract/suite.ts';
import { createLocalEmbedder } from '../../src/embed/local/local.ts';
import { assertAgreement } from '../adapters/agreement.ts';
import { assertCanvasIsText } from '../adapters/canvas.ts';
import { OLLAMA, startProvider } from '../embedding/provider-server.ts';
import { openLancedb } from './adapter.ts';

const model = createLocalEmbedder({ threads: 1 });
// One model for all tests: each would start a process of its own.
const server = await startProvider({
  format: OLLAMA,
  embed: async (texts, purpose) => (await model.embed(texts, { purpose })).map((vector) => [...vector]),
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model.close();
});

const EMBEDDING = {
  'without a model': { provider: 'none' },
  // It is slow while other work has the cores.
  'with a model': {
    provider: 'ollama',
    url: server.origin,
    model: 'all-minilm',
    dimensions: 384,
    timeout: '5m',
  },
};
for (const [name, embedding] of Object.entries(EMBEDDING))
  adapterContract(
    { describe, it },
    {
      name: `lancedb ${name}`,
      create: (folder) =>
        openLancedb(folder, { embedding, adapters: { agents: [{ id: 'ada', roles: ['editor'] }] } }),
      agentWithRole: { agentId: 'ada', role: 'editor' },
      findsMeaning: embedding.provider !== 'none',
      // On a busy machine, to embed the long notes of some cases takes longer than by default.
      timeLimitMs: 120_000,
    },
  );

it('lancedb finds what reading all files finds', async () => {
  await assertAgreement({ name: 'lancedb', create: (folder) => openLancedb(folder) });
});

it('lancedb finds a canvas by its cards', async () => {
  await assertCanvasIsText((home) => openLancedb(home));
});
