import { describe, expect, it } from 'vitest';
import { openEmbedder } from './registry.ts';

describe('openEmbedder', () => {
  it('opens the local model', async () => {
    const embedder = await openEmbedder({ provider: 'local', threads: 1 });
    expect(embedder).toMatchObject({ provider: 'local', dimensions: 384 });
    await embedder?.close();
  });

  it('returns null for the provider none', async () => {
    expect(await openEmbedder({ provider: 'none' })).toBeNull();
  });

  it('lists the providers if the name is unknown', async () => {
    for (const provider of ['onnx', '', 'constructor']) {
      await expect(openEmbedder({ provider })).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.stringContaining(
          'local, ollama, openai, openai-compatible, voyage, gemini, command, none',
        ) as string,
      });
    }
  });
});
