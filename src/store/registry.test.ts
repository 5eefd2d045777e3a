import { describe, expect, it } from 'vitest';
import { openStore, STORE_DRIVERS } from './registry.ts';

const OPTIONS = { path: '', busyTimeout: 0, create: true };

describe('openStore', () => {
  it('opens the store that is named', async () => {
    const store = await openStore({ ...OPTIONS, driver: 'memory' });
    expect(store.capabilities).toEqual({ name: 'memory', durable: false, shared: false });
    await store.close();
    expect(STORE_DRIVERS).toEqual(['sqlite', 'memory']);
  });

  it.each([
    ['sqllite', `unknown store driver 'sqllite': did you mean 'sqlite'?`],
    ['Memory', `unknown store driver 'Memory': did you mean 'memory'?`],
    ['postgres', `unknown store driver 'postgres': known are sqlite, memory`],
    ['toString', `unknown store driver 'toString': known are sqlite, memory`],
    ['', `unknown store driver '': known are sqlite, memory`],
  ])('refuses %j', async (driver, message) => {
    await expect(openStore({ ...OPTIONS, driver })).rejects.toMatchObject({
      code: 'invalid_config',
      message,
    });
  });
});
