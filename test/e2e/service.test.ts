import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT, temporaryFolder } from './loci-command.ts';
import { sendRequest } from './rest-server.ts';
import { startServerProcess } from './server-process.ts';

const run = promisify(execFile);
const PAGE = readFileSync(`${ROOT}docs/rest.md`, 'utf8');
const CLONE = ROOT.replace(/\/$/, '');
const UNIT = (/^```ini\n([^]*?)^```/m.exec(PAGE)?.[1] ?? '').replaceAll('%h/loci', CLONE);
const PLIST = /^```xml\n([^]*?)^```/m.exec(PAGE)?.[1] ?? '';

/** The command of a service, in each form that docs/rest.md shows. */
const FORMS: readonly (readonly [string, readonly string[]])[] = [
  ['by hand', (/^~\/loci\/\S+ .*serve$/m.exec(PAGE)?.[0] ?? '').replaceAll('~/loci', CLONE).split(' ')],
  ['in the unit of systemd', (/^ExecStart=(.*)$/m.exec(UNIT)?.[1] ?? '').split(' ')],
  [
    'in the property list of launchd',
    [...(/<array>([^]*)<\/array>/.exec(PLIST)?.[1] ?? '').matchAll(/<string>(.*)<\/string>/g)].map(
      ([, word = '']) => word.replace('/Users/ann/loci', CLONE),
    ),
  ],
];

describe('the command of a service', () => {
  it.each(FORMS)('%s is that of the server itself', (_, words) => {
    expect(words.slice(1)).toEqual([`${CLONE}/bin/loci.js`, 'serve']);
  });

  it('starts a server, which ends on a stop signal', async () => {
    const [, [node = '', script = '']] = FORMS[0]!;
    const server = await startServerProcess(temporaryFolder(), {}, [node, script]);
    expect((await sendRequest(server.address, '/healthz')).status).toBe(200);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    await expect(sendRequest(server.address, '/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('is part of a valid systemd unit', async ({ skip }) => {
    const hasSystemd = await run('systemd-analyze', ['--version']).then(
      () => true,
      () => false,
    );
    if (!hasSystemd) skip('there is no systemd-analyze here');
    const folder = temporaryFolder();
    const file = join(folder, 'loci.service');
    writeFileSync(file, UNIT);
    const env = { PATH: process.env['PATH'], XDG_RUNTIME_DIR: folder, HOME: folder };
    const { stderr } = await run('systemd-analyze', ['--user', 'verify', file], { env });
    expect(stderr).not.toContain('loci.service');
    writeFileSync(file, UNIT.replace('ExecStart', 'ExecStrat'));
    await expect(run('systemd-analyze', ['--user', 'verify', file], { env })).rejects.toThrow('ExecStrat');
  });
});
