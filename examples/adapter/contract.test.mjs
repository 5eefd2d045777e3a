// node --test

import { describe, it } from 'node:test';
import { adapterContract } from 'loci-memory/adapters/contract';
import { WordsAdapter } from './words-adapter.mjs';

adapterContract(
  { describe, it },
  {
    name: 'words',
    create: () => new WordsAdapter({ roles: { ada: ['editor'] } }),
    agentWithRole: { agentId: 'ada', role: 'editor' },
  },
);
