/**
 * Tests that hold for every retrieval adapter. They run in vitest and in node:test:
 * `adapterContract({ describe, it }, { name: 'mine', create: (folder) => new MyAdapter(folder) })`.
 */

import { within } from '../../../src/core/time/deadline.ts';
import { type Case, type ContractOptions, Host, type TestContext } from './host.ts';
import { hostileCases } from './hostile-cases.ts';
import { lifecycleCases } from './lifecycle-cases.ts';
import { poolCases } from './pool-cases.ts';
import { recallCases } from './recall-cases.ts';
import { referenceCases } from './reference-cases.ts';
import { visibilityCases } from './visibility-cases.ts';

export type { ContractOptions, TestContext };
export type { MemoryRetrievalAdapter } from '../../../src/adapters/contract.ts';

/** Functions of vitest or node:test. */
export interface TestFramework {
  readonly describe: (name: string, tests: () => void) => unknown;
  readonly it: (name: string, test: (context: TestContext) => Promise<void>) => unknown;
}

/** Defines a test for each rule of the contract. Each makes an adapter and folders, and removes them. */
export function adapterContract({ describe, it }: TestFramework, options: ContractOptions): void {
  const { timeLimitMs = 30_000 } = options;
  describe(`the adapter ${options.name}`, () => {
    const cases = {
      ...recallCases,
      ...visibilityCases,
      ...poolCases,
      ...hostileCases,
      ...referenceCases,
      ...lifecycleCases,
    };
    for (const [name, run] of Object.entries<Case>(cases)) {
      it(name, async (context) => {
        const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
          within(work, timeLimitMs, () => {
            throw new Error(`"${name}" took longer than ${String(timeLimitMs)} ms: a call does not return`);
          });
        const host = await inTime(Host.open(options));
        try {
          await inTime(run(host, context));
        } finally {
          await inTime(host[Symbol.asyncDispose]());
        }
      });
    }
  });
}
