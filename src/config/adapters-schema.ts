import { z } from 'zod';
import { duration, label, path } from './values.ts';

const name = () => z.string().trim().min(1).max(256);

const pool = z.strictObject({
  id: name().describe('The name of the pool. It is unique.'),
  tier: z
    .enum(['hot', 'warm', 'cold'])
    .describe('`recall` searches hot and warm pools, and cold ones only if `tiers` names them.'),
  path: z
    .string()
    .min(1)
    .max(4096)
    .describe('The folder of the pool: absolute, below your home with `~/`, or below `adapters.vaultRoot`.'),
  roles: z.array(name()).exactOptional().describe('The roles whose agents see the pool.'),
  agents: z
    .array(name())
    .exactOptional()
    .describe('The agents that see the pool. Without roles and agents, every agent does.'),
});

export const ADAPTER_IDS = ['filesystem', 'lancedb', 'loci'] as const;

/** Which adapter is used. */
export const memory = z.strictObject({
  adapter: z
    .enum(ADAPTER_IDS)
    .default('filesystem')
    .describe(
      'What `loci recall` and `loci-memory/adapters` search pools with: `filesystem` keeps no index and finds by words, `lancedb` ' +
        'keeps tables of LanceDB, and `loci` is the engine of Loci. docs/choosing.md compares them.',
    ),
});

/** The pools and the settings of the adapters. */
export const adapters = z
  .strictObject({
    vaultRoot: path().exactOptional().describe('The folder that relative paths of pools start from.'),
    pools: z
      .array(pool)
      .max(1000)
      .default([])
      .describe('The parts of the memory. A program that uses `loci-memory/adapters` may register others.'),
    agents: z
      .array(
        z.strictObject({
          id: name().describe('The id with which the agent asks.'),
          roles: z.array(name()).describe('Its roles.'),
        }),
      )
      .default([])
      .describe('The roles of agents. An agent that is not listed has none.'),
    deadline: duration('5s').describe(
      'How long a recall may take. Past it, the answer is empty, and the status of the adapter says so. 0 means no deadline.',
    ),
    lancedb: z
      .strictObject({
        package: path()
          .exactOptional()
          .describe(
            'The folder where `@lancedb/lancedb` is installed (which has `node_modules`). By default it is looked for beside Loci.',
          ),
      })
      .prefault({})
      .describe('The adapter `lancedb`.'),
    loci: z
      .strictObject({
        namespace: label()
          .default('pools')
          .describe(
            'Keeps the pools of several programs apart in one store. No other way to the store has access to pools, because it knows ' +
              'neither roles nor agents.',
          ),
      })
      .prefault({})
      .describe('The adapter `loci`.'),
  })
  .superRefine(({ pools, agents }, context) => {
    for (const [list, entries] of Object.entries({ pools, agents })) {
      const ids = new Set<string>();
      for (const [i, { id }] of entries.entries()) {
        // `explained`: the message needs no addition of what was expected.
        const [key, message] = [[list, i, 'id'], `another entry has the id ${id}`];
        if (ids.has(id))
          context.addIssue({ code: 'custom', path: key, message, params: { explained: true } });
        ids.add(id);
      }
    }
  });
