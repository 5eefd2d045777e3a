import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { composeProject, type Service, variablesOf } from '../deploy/compose.ts';
import { type Container, startContainer } from '../deploy/container.ts';
import { buildImage, type Image, ROOT } from '../deploy/image.ts';
import { PROGRESS } from '../e2e/loci-command.ts';
import { letterVectors, OLLAMA, type ProviderServer, startProvider } from '../embedding/provider-server.ts';
import { runStatements } from './database.ts';
import { command, findPrograms, freePort, type Server, startServer, SYSTEM } from './server.ts';

const run = promisify(execFile);
const programs = findPrograms();
// A root of its own for each container needs root, and the base of the image is the system in which PostgreSQL runs.
const canRun = process.getuid?.() === 0 && programs?.root === SYSTEM;

/** An address of this machine that other test runs do not use, for the ports that the files name. */
const EMBEDDINGS = `127.99.${String((process.pid >> 8) & 255)}.${String(process.pid & 255)}`;

describe.skipIf(!canRun)('the deployment', () => {
  let folder: string;
  let server: Server;
  let image: Image;
  let service: Service;
  let port: number;
  let token: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loci-deploy-'));
    const deploy = join(folder, 'deploy');
    cpSync(join(ROOT, 'deploy'), deploy, { recursive: true });
    writeDocker(folder);
    const env = { PATH: `${folder}:${process.env['PATH']!}` };
    await run(join(deploy, 'install.sh'), { env });
    const { services } = composeProject(deploy);
    const [, ...options] = services['postgres']!.command!;
    server = await startServer(programs!, { settings: options.map((option) => option.replace(/^--/, '')) });
    const password = readFileSync(join(deploy, 'secrets/postgres-password'), 'utf8');
    await psql(readFileSync(join(deploy, 'postgres.sql'), 'utf8'), password);
    const place = new URL(server.url).host;
    service = services['loci']!;
    for (const name of service.secrets!) {
      const secret = join(deploy, 'secrets', name);
      writeFileSync(
        secret,
        readFileSync(secret, 'utf8').replace(/(?<=@postgres:)5432/, place.split(':')[1]!),
      );
    }
    port = await freePort();
    // What `npm run build` writes is in the checkout already.
    const built =
      process.env['LOCI_LONG_TESTS'] === undefined ? { build: { '/build/dist': join(ROOT, 'dist') } } : {};
    image = await buildImage(join(folder, 'build'), built);
  }, 300_000);

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);

  /** The statements of `deploy/postgres.sql` run as the entry point of the image of PostgreSQL runs them. */
  async function psql(statements: string, password: string): Promise<void> {
    const options = ['--no-psqlrc', '--username=postgres', '--host=127.0.0.1', '--file=-'];
    const { port: at } = new URL(server.url);
    const running = run(...command(programs!, 'psql', options), {
      env: { PATH: process.env['PATH'], PGPORT: at, POSTGRES_PASSWORD: password },
    });
    running.child.stdin?.end(statements);
    await running;
  }

  /** A container of the service `loci`, with its environment, user and secret. */
  function start(words?: readonly string[]): Container {
    const deploy = join(folder, 'deploy');
    const files = (service.secrets ?? []).map((name) => [
      `/run/secrets/${name}`,
      join(deploy, 'secrets', name),
    ]);
    return startContainer(image, {
      folder: mkdtempSync(join(folder, 'container-')),
      env: {
        ...variablesOf(join(deploy, service.env_file!)),
        ...service.environment,
        LOCI_SERVER_PORT: String(port),
      },
      user: service.user!,
      files: Object.fromEntries(files) as Record<string, string>,
      hosts: { postgres: '127.0.0.1', 'loci-embeddings': EMBEDDINGS },
      ...(words !== undefined && { command: words }),
    });
  }

  async function exec(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await start(words).ended;
    expect([words, code, stderr.replace(PROGRESS, '')], stdout).toEqual([words, 0, '']);
    return stdout;
  }

  /** Starts the server, and waits until the health check of the image succeeds. */
  async function startHealthy(): Promise<Container> {
    const container = start();
    onTestFinished(() => {
      container.kill('SIGKILL');
    });
    const state = { hasEnded: false };
    void container.ended.then(() => (state.hasEnded = true));
    while ((await start(image.healthCheck).ended).code !== 0)
      if (state.hasEnded) throw new Error((await container.ended).stderr);
    return container;
  }

  async function stop(container: Container): Promise<void> {
    const began = performance.now();
    container.kill('SIGTERM');
    const { code, stderr } = await container.ended;
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/EROFS|EACCES|bug in Loci/)]);
    // Docker kills it after 10 seconds.
    expect(performance.now() - began).toBeLessThan(9000);
  }

  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/api/v1/memory/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([path, answer.status]).toEqual([path, 200]);
    return (await answer.json()) as Record<string, unknown>;
  }

  async function searchOverMcp(query: string): Promise<string> {
    const client = new McpClient({ name: 'test-client', version: '1.0.0' });
    const url = new URL(`http://127.0.0.1:${String(port)}/mcp`);
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const answer = await client.callTool({ name: 'memory_search', arguments: { query } });
    await client.close();
    return JSON.stringify(answer.content);
  }

  const startEmbeddings = (): Promise<ProviderServer> =>
    startProvider({ format: OLLAMA, embed: letterVectors(768), host: EMBEDDINGS, port: 11_434 });

  it('stores and finds by words while the container of the model does not answer', async () => {
    const container = await startHealthy();
    const made = await exec('loci', 'serve', 'token', 'create', '--subject', 'alice', '--scope', 'write');
    token = /loci_\w+/.exec(made)![0];
    const [, , example] = examples('Start it');
    const commands = example!.replaceAll('127.0.0.1:8737', `127.0.0.1:${String(port)}`);
    const { stdout } = await run('bash', ['-euc', commands], {
      env: { PATH: process.env['PATH'], TOKEN: token },
    });
    expect(stdout).toContain('"snippet":"We take the induction oven, not gas."');
    const found = await post('search', { query: 'which oven' });
    expect(JSON.stringify(found)).toContain('induction oven');
    const why = expect.stringContaining('loci-embeddings:11434 cannot be reached') as string;
    expect(found['missing']).toEqual([{ signal: 'vector', why }]);
    // Policies bind the role of the server: it sees no record of the namespace that it has not named.
    const database = new URL('/loci', server.url).href;
    const roles = `SELECT DISTINCT usename AS role, row_security_active('record') AS is_bound FROM pg_stat_activity WHERE application_name = 'loci'`;
    expect(await runStatements(database, 'SET ROLE loci_server', roles)).toContainEqual({
      role: 'loci_server',
      is_bound: true,
    });
    expect(await runStatements(database, 'SELECT 1 FROM record')).toHaveLength(1);
    expect(await runStatements(database, 'SET ROLE loci_server', 'SELECT 1 FROM record')).toEqual([]);
    await stop(container);
  });

  it('has everything when it starts again, and finds by meaning when the model answers', async () => {
    await using embeddings = await startEmbeddings();
    const container = await startHealthy();
    const missing = async (): Promise<unknown> => (await post('search', { query: 'which oven' }))['missing'];
    await expect.poll(missing, { timeout: 100_000 }).toEqual([]);
    const sent = embeddings.requests.flatMap(({ texts }) => texts);
    expect(sent).toContain('search_document: We take the induction oven, not gas.');
    expect(sent).toContain('search_query: which oven');
    expect(embeddings.requests[0]!.body['model']).toBe('nomic-embed-text');
    expect(await searchOverMcp('which oven')).toContain('induction oven');
    const unknown = await fetch(`http://127.0.0.1:${String(port)}/api/v1/memory/search?query=oven`);
    expect(unknown.status).toBe(401);
    await stop(container);
  });

  it('ends at a signal while it starts, as process 1', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port: at } = silent.address() as AddressInfo;
    const before = service;
    service = {
      ...service,
      environment: { LOCI_STORE_CONNECTION_STRING: `postgres://loci@127.0.0.1:${String(at)}/loci` },
    };
    const container = start();
    service = before;
    await once(silent, 'connection');
    const began = performance.now();
    container.kill('SIGTERM');
    await container.ended;
    expect(performance.now() - began).toBeLessThan(3000);
    silent.close();
  });

  it('is backed up and restored by the commands of docs/deploy.md', async () => {
    const lines = examples('Back up and restore').flatMap((block) => block.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(5);
    await using _ = await startEmbeddings();
    let container: Container | null = await startHealthy();
    for (const line of lines) {
      if (line === 'docker compose stop loci') {
        await post('write', { content: 'This is younger than the backup.' });
        await stop(container!);
        container = null;
      } else if (line === 'docker compose start loci') container = await startHealthy();
      else if (line.startsWith('docker compose exec loci ')) await exec(...line.split(' ').slice(4));
      else
        await run('bash', ['-euc', line], {
          cwd: folder,
          env: { PATH: `${folder}:${process.env['PATH']!}`, PGPORT: new URL(server.url).port },
        });
    }
    expect(await searchOverMcp('induction oven')).toContain('induction oven');
    expect(await searchOverMcp('younger than the backup')).not.toContain('younger');
    await stop(container!);
  });
});

/** The commands of a section of docs/deploy.md. */
function examples(title: string): string[] {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8').split(`\n## ${title}\n`);
  return [...section.split('\n## ')[0]!.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block]) => block!);
}

/** In place of Docker: says that it is there, and runs programs of the container `postgres` on the server of the tests. */
function writeDocker(folder: string): void {
  const [name, options] = command(programs!, '$program', []);
  const script = `#!/bin/sh
case "$*" in
  'compose version --short') echo 2.20.0 ;;
  *DockerRootDir*) echo / ;;
  'volume inspect'*) exit 1 ;;
  'compose exec -T postgres '*)
    shift 4
    program=$1
    shift
    PGHOST=127.0.0.1 exec ${[name, ...options].join(' ')} "$@" ;;
esac
`;
  const path = join(folder, 'docker');
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}
