import { expect, it } from 'vitest';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { configSchema } from '../config/schema.ts';
import { EngineContext, type EngineServices } from './context.ts';

class Part {
  readonly log: string[] = [];

  constructor(services: EngineServices) {
    const isOpen = (): Promise<string> =>
      services.store.records.bounds('n').then(
        () => 'the store is open',
        () => 'the store is closed',
      );
    services.closeWithStore({ close: () => Promise.resolve(void this.log.push('closed')) });
    services.flushOnClose(async () => void this.log.push(`flushed: ${await isOpen()}`));
    services.closeWithEngine({ close: async () => void this.log.push(`stopped: ${await isOpen()}`) });
  }
}

it('all callers of an engine share its parts, which it stops, flushes and closes in this order', async () => {
  const context = EngineContext.create(configSchema.parse({}), openSqliteInMemory());
  const part = context.shared(Part);
  expect(context.as({ ...context.caller, namespace: 'other' }).shared(Part)).toBe(part);
  await context.close();
  expect(part.log).toEqual(['stopped: the store is open', 'flushed: the store is open', 'closed']);
});
