// A program of the provider `command`, which serves vectors of the bundled model: `node embedding-command.ts [once] [LOG]`.
// It appends its pid to LOG. The text "END" ends it, "HANG" makes it answer no more, and a text of more than 2000 characters is refused.

import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createLocalEmbedder } from '../../src/embed/local/local.ts';
import type { EmbeddingPurpose } from '../../src/embed/embedder.ts';

interface Request {
  readonly id: number;
  readonly purpose: EmbeddingPurpose;
  readonly texts: readonly string[];
}

const [mode, log] = process.argv.slice(2);
if (log !== undefined)
  appendFileSync(log, `${String(process.pid)} ${Object.keys(process.env).toSorted().join(',')}\n`);
const embedder = createLocalEmbedder({ threads: 1 });

async function answer({ id, purpose, texts }: Request): Promise<object | null> {
  if (texts.includes('END')) {
    console.error(`broken by ${process.env['EMBED_TOKEN'] ?? 'nobody'}`);
    process.exit(3);
  }
  if (texts.includes('HANG')) return null;
  if (texts.some(({ length }) => length > 2000)) return { id, error: 'a text is too long', too_large: true };
  const vectors = await embedder.embed(texts, { purpose });
  // Not unit vectors, which the caller must not rely on.
  return { id, vectors: vectors.map((vector) => [...vector].map((component) => component * 3)) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const answered = await answer(JSON.parse(line) as Request);
  if (answered !== null) process.stdout.write(`${JSON.stringify(answered)}${mode === 'once' ? '' : '\n'}`);
}
await embedder.close();
