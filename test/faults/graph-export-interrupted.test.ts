import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loci, startLoci, temporaryFolder } from '../e2e/loci-command.ts';

const NOTES = 800;

it('an export of the graph that Ctrl-C ends has exit code 130, and what it wrote is not taken for a graph', async () => {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(join(folder, 'notes'));
  for (let i = 0; i < NOTES; i++)
    writeFileSync(
      join(folder, 'notes', `Note ${String(i)}.md`),
      `See [[Note ${String((i + 1) % NOTES)}]].\n`,
    );
  await loci(['index', join(folder, 'notes')], { home });
  const whole = (await loci(['graph', 'export'], { home })).stdout;

  const running = startLoci(['graph', 'export'], { home });
  running.child.stdout?.once('data', () => running.child.kill('SIGINT'));
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(stdout.length).toBeLessThan(whole.length);
  expect(whole.startsWith(stdout)).toBe(true);

  const [half, other] = [join(folder, 'half.json'), join(folder, 'whole.json')];
  writeFileSync(half, stdout);
  writeFileSync(other, whole);
  expect((await loci(['graph', 'diff', half, other], { home })).code).toBe(2);
  expect((await loci(['graph', 'export'], { home })).stdout).toBe(whole);
  expect((await loci(['doctor'], { home })).code).toBe(0);
});
