// A process that serves vectors of the bundled model in the formats of Ollama and of OpenAI:
// `node model-server.ts ollama|openai [PORT]` prints its address.

import { createLocalEmbedder } from '../../src/embed/local/local.ts';
import { OLLAMA, OPENAI, startProvider } from './provider-server.ts';

const [kind, port = '0'] = process.argv.slice(2);
const embedder = createLocalEmbedder({ threads: 1 });
const server = await startProvider({
  format: kind === 'ollama' ? OLLAMA : OPENAI,
  port: Number(port),
  embed: async (texts, purpose) => {
    const vectors = await embedder.embed(texts, { purpose });
    // Not unit vectors, which a client must not rely on.
    return vectors.map((vector) => [...vector].map((component) => component * 2));
  },
});
console.log(server.origin);
