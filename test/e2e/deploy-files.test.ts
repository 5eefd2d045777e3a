import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CONFIG_KEYS } from '../../src/config/keys.ts';
import { composeProject } from '../deploy/compose.ts';
import { ROOT, temporaryFolder } from './loci-command.ts';

const run = promisify(execFile);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What Docker answers to the questions of `install.sh`, by a part of the command line. */
const ANSWERS = {
  'compose version': 'echo 2.29.1',
  'info --format {{.DockerRootDir}}': 'echo /',
  'info --format {{.SecurityOptions}}': 'echo [name=seccomp]',
  'volume inspect': 'exit 1',
};

/** A copy of `deploy/` with a program `docker` that records its command lines and does nothing. */
class Installation {
  readonly folder = join(temporaryFolder(), 'deploy');
  readonly #bin = join(this.folder, '../bin');

  constructor(answers: Readonly<Record<string, string>> | null = {}) {
    cpSync(join(ROOT, 'deploy'), this.folder, { recursive: true });
    mkdirSync(this.#bin);
    const programs = 'awk cat chmod chown df dirname grep id mkdir mv od rm sed sh sort tr';
    for (const program of programs.split(' ')) this.#link(program);
    if (answers === null) return;
    const cases = Object.entries({ ...ANSWERS, ...answers }).map(
      ([words, answer]) => `'${words}'*) ${answer} ;;`,
    );
    const script = `#!/bin/sh\necho "$*" >> '${this.folder}/../log'\ncase "$*" in\n${cases.join('\n')}\nesac\n`;
    writeFileSync(join(this.#bin, 'docker'), script);
    chmodSync(join(this.#bin, 'docker'), 0o755);
  }

  #link(program: string): void {
    const path = ['/usr/bin', '/bin'].map((each) => join(each, program)).find((each) => existsSync(each));
    symlinkSync(path!, join(this.#bin, program));
  }

  async install(...options: string[]): Promise<string> {
    const { stdout, stderr } = await run(join(this.folder, 'install.sh'), options, {
      env: { PATH: this.#bin },
    });
    return stdout + stderr;
  }

  /** The output of a run that fails. */
  failure(...options: string[]): Promise<string> {
    return this.install(...options).then(
      (text) => `succeeded: ${text}`,
      (error: unknown) => (error as { stderr: string }).stderr,
    );
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** The command lines of Docker that change something. */
  get commands(): string[] {
    const lines = readFileSync(join(this.folder, '../log'), 'utf8').trim().split('\n');
    return lines.filter((line) => /^compose (?!version)/.test(line));
  }
}

describe('deploy/install.sh', () => {
  it('makes secrets that only their owner can read, prints none, and keeps them', async () => {
    const installation = new Installation();
    const output = [await installation.install(), await installation.install('--no-embeddings')].join('');
    const password = installation.read('secrets/postgres-password');
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    for (const [file, role] of [
      ['connection-string', 'loci_server'],
      ['direct-connection-string', 'loci'],
    ] as const)
      expect(installation.read(`secrets/${file}`)).toBe(`postgres://${role}:${password}@postgres:5432/loci`);
    expect(output).not.toContain(password);
    const secrets = ['postgres-password', 'connection-string', 'direct-connection-string'];
    for (const file of [...secrets.map((name) => `secrets/${name}`), '.env', 'loci.env'])
      expect([file, statSync(join(installation.folder, file)).mode & 0o777]).toEqual([file, 0o600]);
    expect(statSync(join(installation.folder, 'secrets')).mode & 0o777).toBe(0o700);
    const again = await installation.install();
    expect(installation.read('secrets/postgres-password')).toBe(password);
    expect(again).not.toContain('embedding model has changed');
  });

  it('starts everything with Ollama, unless it is left out, and says what a change needs', async () => {
    const installation = new Installation();
    expect(await installation.install('--address', '127.0.0.1:9000')).toContain(
      'Loci listens at http://127.0.0.1:9000',
    );
    expect(Object.keys(composeProject(installation.folder).services)).toContain('embeddings');
    expect(installation.commands.at(-1)).toBe('compose up --detach --wait --wait-timeout 180 loci');
    expect(await installation.install('--no-embeddings')).toContain('loci embed backfill');
    const { services } = composeProject(installation.folder);
    expect([Object.keys(services), services['loci']!.ports]).toEqual([
      ['loci', 'postgres'],
      ['127.0.0.1:9000:8737'],
    ]);
    // An option that is not given stays as it was.
    await installation.install();
    expect(Object.keys(composeProject(installation.folder).services)).not.toContain('embeddings');
  });

  it('changes nothing with --dry-run', async () => {
    const installation = new Installation();
    const before = readdirSync(installation.folder);
    expect(await installation.install('--dry-run')).toContain('would run: docker compose up');
    expect([readdirSync(installation.folder), installation.commands]).toEqual([before, []]);
  });

  it('keeps data, secrets and settings when it uninstalls, unless they are to be deleted', async () => {
    const installation = new Installation();
    await installation.install();
    await installation.install('--uninstall');
    expect(installation.commands.at(-1)).toBe('compose down --remove-orphans');
    expect(installation.read('secrets/postgres-password')).not.toBe('');
    await installation.install('--uninstall', '--delete-data');
    expect(installation.commands.at(-1)).toBe('compose down --remove-orphans --volumes');
    expect(readdirSync(installation.folder)).toEqual(readdirSync(join(ROOT, 'deploy')));
  });

  it.each([
    ['no Docker', null, [], 'docker: https'],
    ['no Compose plugin', { 'compose version': 'exit 1' }, [], 'Compose plugin of docker, 2.20 or newer'],
    ['an old Compose', { 'compose version': 'echo v2.3.3' }, [], 'Compose plugin of docker, 2.20 or newer'],
    ['no engine', { info: 'exit 1' }, [], 'a running Docker engine'],
    [
      'too little space',
      { 'info --format {{.DockerRootDir}}': 'echo /proc' },
      [],
      '8 GB of free disk space in /proc',
    ],
    ['a database without its secret', { 'volume inspect': 'exit 0' }, [], 'postgres-password is gone'],
    ['an unknown option', {}, ['--no-embedding'], 'unknown option --no-embedding'],
    ['an invalid address', {}, ['--address', '8737'], '--address must be an address and a port'],
    ['nothing to uninstall', {}, ['--uninstall'], 'nothing is installed'],
  ])('changes nothing and says why: %s', async (_, answers, options, message) => {
    const installation = new Installation(answers);
    expect(await installation.failure(...options)).toContain(message);
    expect(readdirSync(installation.folder)).not.toContain('.env');
  });

  it('has no warning of shellcheck', async ({ skip }) => {
    const hasProgram = await run('shellcheck', ['--version']).then(
      () => true,
      () => false,
    );
    if (!hasProgram) skip('there is no shellcheck here');
    await run('shellcheck', [join(ROOT, 'deploy/install.sh')]);
  });
});

describe('the Compose files', () => {
  it('limit every container, and give only Loci an address, which is this machine', async () => {
    const installation = new Installation();
    await installation.install();
    const { services, networks, secrets } = composeProject(installation.folder);
    expect(Object.keys(services)).toEqual(['loci', 'postgres', 'embeddings', 'embeddings-model']);
    for (const [name, service] of Object.entries(services)) {
      expect.soft(service, name).toMatchObject({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[mg]$/) as string,
        restart: name === 'embeddings-model' ? 'on-failure' : 'unless-stopped',
      });
      if (name !== 'loci')
        expect
          .soft([name, service.image, service.ports])
          .toEqual([name, expect.stringMatching(/:\d+\.\d+/), undefined]);
    }
    const { loci, postgres, embeddings } = services;
    expect(loci).toMatchObject({
      read_only: true,
      user: expect.not.stringMatching(/^0:/) as string,
      ports: ['127.0.0.1:8737:8737'],
    });
    expect([postgres!.networks, networks['database'], networks['agents']]).toEqual([
      ['database'],
      { internal: true },
      { name: 'loci' },
    ]);
    expect(loci!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const service of [postgres, embeddings]) expect(service!.healthcheck?.test[0]).toBe('CMD');
    expect(Object.values(secrets).map(({ file }) => file)).toEqual([
      './secrets/connection-string',
      './secrets/direct-connection-string',
      './secrets/postgres-password',
    ]);
  });
});

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels?: object };
    readonly template?: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly securityContext: object;
        readonly containers: readonly Record<string, unknown>[];
      };
    };
  };
}

describe('deploy/kubernetes.yml', () => {
  it('has two servers without rights behind a service, and probes that a server answers', () => {
    const documents = parseAllDocuments(read('deploy/kubernetes.yml'));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const [deployment, service, budget] = documents.map((each) => each.toJS() as Manifest);
    const { template, replicas, selector } = deployment!.spec;
    const labels = template!.metadata.labels;
    expect([deployment!.kind, replicas, selector.matchLabels]).toEqual(['Deployment', 2, labels]);
    expect([service!.kind, service!.spec.selector]).toEqual(['Service', labels]);
    expect([budget!.kind, budget!.spec.selector]).toEqual(['PodDisruptionBudget', { matchLabels: labels }]);
    expect(template!.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
    const host = [{ name: 'Host', value: 'localhost' }];
    expect(template!.spec.containers).toMatchObject([
      {
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        readinessProbe: { httpGet: { path: '/readyz', httpHeaders: host } },
        livenessProbe: { httpGet: { path: '/healthz', httpHeaders: host } },
      },
    ]);
  });
});

it('the variables of the deployment are settings', () => {
  const files = [
    'deploy/compose.yml',
    'deploy/compose.embeddings.yml',
    'deploy/install.sh',
    'deploy/kubernetes.yml',
    'docs/deploy.md',
  ];
  const known = new Set(['LOCI_HOME', ...CONFIG_KEYS.map(({ env }) => env)]);
  const named = files.flatMap((file) => read(file).match(/\bLOCI_[A-Z_]+/g) ?? []);
  const ofCompose = ['LOCI_ADDRESS', 'LOCI_GID', 'LOCI_UID'];
  expect([...new Set(named)].filter((name) => !known.has(name)).toSorted()).toEqual(ofCompose);
});
