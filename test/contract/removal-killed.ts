import { expect } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openStore, type StoreSettings } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { verifyStore } from './store-samples.ts';
import { fillNamespace, removeInSteps } from './store-removal.ts';

const CHILD = fileURLToPath(new URL('../faults/removal-child.ts', import.meta.url));

/**
 * Kills processes that remove a namespace, each after some steps, and expects that the next one goes on, and that other namespaces stay
 * as they are.
 * @param rawRows the names of tables that have a row of the namespace with this number, read past the store
 * @param idOf the number of a namespace
 */
export async function expectRemovalSurvivesKills(
  settings: StoreSettings,
  idOf: (namespace: string) => Promise<number>,
  rawRows: (id: number) => Promise<string[]>,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const store = await openStore(settings, { create: true });
  resources.defer(() => store.close());
  const { id: generation } = await store.vectors.setGeneration(ADMIN_NAMESPACE, {
    add: { provider: 'test', model: 'm', dimensions: 3 },
  });
  for (const namespace of ['removed', 'kept']) await fillNamespace(store, namespace, generation);
  const id = await idOf('removed');
  const [rows, kept] = [await rawRows(id), await store.admin.namespaceRows('kept')];
  for (const table of ['record', 'passage', 'embedding', 'audit', 'namespace_state', 'item'])
    expect(rows).toContain(table);
  let left = (await store.admin.namespaceRows('removed'))!.rows;
  for (const steps of [1, 2, 3]) {
    const child = spawn(process.execPath, [CHILD, JSON.stringify(settings), 'removed'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let seen = 0;
    child.stdin.on('error', () => undefined);
    for await (const line of createInterface({ input: child.stdout })) {
      expect(line).toBe('4');
      child.stdin.write('\n');
      // Some of the next step may have been done.
      if (++seen === steps) child.kill('SIGKILL');
    }
    expect(await exited).toEqual([null, 'SIGKILL']);
    const found = (await store.admin.namespaceRows('removed'))!;
    expect(found).toMatchObject({ hasBegun: true, tokens: 0 });
    expect(sum(found.rows)).toBeLessThan(sum(left));
    left = found.rows;
  }
  expect(await removeInSteps(store, 'removed')).toBe(sum(left));
  expect(await rawRows(id)).toEqual([]);
  expect(await store.admin.namespaceRows('kept')).toEqual(kept);
  expect(await verifyStore(store)).toEqual([]);
}

function sum(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((total, each) => total + each, 0);
}
