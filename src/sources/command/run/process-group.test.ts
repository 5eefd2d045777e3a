import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../../../test/contract/alive.ts';
import { endGroup, registerGroup, startGuard } from './process-group.ts';

let folder = '';
const startedPids: number[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loci-group-'));
});
afterAll(async () => {
  for (const pid of startedPids) if (isAlive(pid)) process.kill(-pid, 'SIGKILL');
  await rm(folder, { recursive: true });
});

const hasProc = existsSync('/proc/self/environ');

describe('a command', () => {
  /** Starts bash from a process that kills itself during or right after the start. Returns the pid of bash. */
  const pidAfterKill = async (moment: 'while' | 'after', name: string): Promise<number> => {
    const module = new URL('run-command.ts', import.meta.url).href;
    const script = `import { subscribe } from 'node:diagnostics_channel';
      import { runCommand } from '${module}';
      const kill = () => process.kill(process.pid, 'SIGKILL');
      subscribe('tracing:child_process.spawn:end', ({ process: child }) => {
        if (child.spawnfile !== '/bin/bash') return;
        // child.pid is not set yet at this moment.
        console.log(child._handle.pid);
        '${moment}' === 'while' ? kill() : queueMicrotask(kill);
      });
      const argv = ['/bin/bash', '-c', 'sleep 60 & wait'];
      const all = async (output) => { for await (const _ of output); };
      await runCommand({ argv, cwd: '.', env: process.env, timeout: 3600_000 }, all);`;
    await writeFile(join(folder, `${name}.mjs`), script);
    const killed = await promisify(execFile)(process.execPath, [`${name}.mjs`], { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string; signal: string },
    );
    expect('signal' in killed && killed.signal).toBe('SIGKILL');
    const pid = Number(killed.stdout);
    expect(pid).toBeGreaterThan(1);
    startedPids.push(pid);
    return pid;
  };

  it.skipIf(!existsSync('/bin/bash'))('is ended when Loci is killed right after starting it', async () => {
    const pid = await pidAfterKill('after', 'killed-after');
    await vi.waitUntil(() => !isAlive(pid), { timeout: 100_000, interval: 10 });
  });

  it.skipIf(!hasProc || !existsSync('/bin/bash'))(
    'is ended when Loci is killed while starting it',
    async () => {
      const pid = await pidAfterKill('while', 'killed-while');
      await vi.waitUntil(() => !isAlive(pid), { timeout: 100_000, interval: 10 });
    },
  );

  it('is ended by its guard with every process that it has started', async () => {
    const command = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; wait'], { detached: true });
    startedPids.push(command.pid!);
    const [line] = (await once(command.stdout, 'data')) as [Buffer];
    const started = Number(line.toString());
    const guard = await startGuard('LOCI_RUN=test');
    registerGroup(command.pid!, guard);
    // As when this process ends without a last line.
    guard?.stdin?.end();
    for (const pid of [command.pid!, started])
      await vi.waitUntil(() => !isAlive(pid), { timeout: 10_000, interval: 10 });
    await endGroup(command.pid!);
  });

  it.skipIf(!hasProc)('is not started if the guard cannot run', async () => {
    const module = new URL('run-command.ts', import.meta.url).href;
    const script = `import { openSync, closeSync } from 'node:fs';
      import { runCommand } from '${module}';
      const open = [];
      try { for (;;) open.push(openSync('/dev/null')); } catch {}
      const all = async (output) => { for await (const _ of output); };
      const request = { argv: ['/usr/bin/env', 'touch', 'unguarded'], cwd: '.', env: process.env, timeout: 3600_000 };
      const { code, message } = await runCommand(request, all).catch((error) => error);
      for (const each of open) closeSync(each);
      console.log(code, message);`;
    await writeFile(join(folder, 'full.mjs'), script);
    const line = `ulimit -n 64; exec '${process.execPath}' full.mjs`;
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { cwd: folder });
    expect(stdout).toMatch(/^source_failed the command was not started, because .* EMFILE\n$/);
    expect(existsSync(join(folder, 'unguarded'))).toBe(false);
  });
});
