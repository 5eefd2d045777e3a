import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { openLoci } from '../open.ts';
import type { KeeperEvent } from './keeper.ts';

const HANGING = { command: 'sleep 600', timeout: '10m' };
const QUICK = { id: 'quick', command: 'cat tasks.json', refreshInterval: '1h' };

/** Keeps these sources fresh; answers what happens. Those that `isApproved` says may run. */
async function keep(
  sources: readonly Readonly<Record<string, unknown> & { id: string }>[],
  isApproved: (id: string) => boolean,
): Promise<KeeperEvent[]> {
  const folder = await temporaryFolder();
  await writeFile(join(folder.path, 'tasks.json'), '[{"id":"a","text":"Buy tile samples"}]');
  const loci = await openLoci(
    settings(folder.path, { sources: sources.map((each) => ({ cwd: folder.path, ...each })) }),
  );
  onTestFinished(async () => {
    await loci.close();
    await folder[Symbol.asyncDispose]();
  });
  for (const { id } of sources) if (isApproved(id)) await loci.sources.approve(id);
  const events: KeeperEvent[] = [];
  loci.sources.keepFresh({ onEvent: (event) => events.push(event) });
  return events;
}

function count(events: readonly KeeperEvent[], kind: KeeperEvent['kind']): number {
  return events.filter((event) => event.kind === kind).length;
}

it('refreshes a source although a dozen others hang, and waits for none of them to time out', async () => {
  const hanging = Array.from({ length: 12 }, (_, i) => ({ id: `hanging${String(i)}`, ...HANGING }));
  const events = await keep([...hanging, QUICK], () => true);
  await vi.waitUntil(() => count(events, 'refreshed') === 1, { timeout: 20_000, interval: 10 });
  expect(events.filter(({ kind }) => kind === 'begun').length).toBe(13);
  expect(count(events, 'failed')).toBe(0);
});

it('refreshes a source although many others wait for approval', async () => {
  const waiting = Array.from({ length: 9 }, (_, i) => ({ ...QUICK, id: `waiting${String(i)}` }));
  const events = await keep([...waiting, QUICK], (id) => id === 'quick');
  await vi.waitUntil(() => count(events, 'refreshed') === 1, { timeout: 20_000, interval: 10 });
  // What cannot run is not tried again and again meanwhile.
  expect(count(events, 'waiting')).toBe(9);
});
