import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/contract/engines.ts';
import { GatewayEngine } from './engine.ts';

const OWNER = { agent: 'main', isOwner: true, isSandboxed: false };
const STRANGER = { ...OWNER, isOwner: false };
const SANDBOX = { ...OWNER, isSandboxed: true };
const OWN = 'agent:main';

async function engineWith(home: string, config: object): Promise<GatewayEngine & AsyncDisposable> {
  const engine = await GatewayEngine.open({
    plugin: 'memory-loci',
    config: { home, embedding: { provider: 'none' }, ...config },
    workspaces: () => [],
    log: () => undefined,
  });
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() });
}

it('the owner reads the own and the shared namespaces and writes; others and sandboxes read the own one', async () => {
  await using folder = await temporaryFolder();
  await using engine = await engineWith(folder.path, {});
  expect(engine.grant(OWNER)).toEqual({ own: OWN, shared: ['default'], mayWrite: true });
  for (const turn of [STRANGER, SANDBOX, { ...STRANGER, isSandboxed: true }])
    expect(engine.grant(turn)).toEqual({ own: OWN, shared: [], mayWrite: false });
});

it('of several restrictions, the strictest holds', async () => {
  await using folder = await temporaryFolder();
  await using engine = await engineWith(folder.path, {
    nonOwner: { read: 'all', write: true },
    sandboxed: { read: 'none', write: true },
  });
  expect(engine.grant(STRANGER)).toEqual({ own: OWN, shared: ['default'], mayWrite: true });
  expect(engine.grant({ ...STRANGER, isSandboxed: true })).toEqual({
    own: null,
    shared: [],
    mayWrite: false,
  });
});

it('agents share memory only if the settings give them the same namespace', async () => {
  await using folder = await temporaryFolder();
  await using engine = await engineWith(folder.path, {
    agents: { kids: { namespace: 'family' }, main: { namespace: 'family' } },
    shared: ['family', 'house'],
  });
  expect(engine.namespaceOf('kids')).toBe(engine.namespaceOf('main'));
  // A name of a property of every object is no setting.
  expect(engine.namespaceOf('constructor')).toBe('agent:constructor');
  expect(engine.grant(OWNER)).toEqual({ own: 'family', shared: ['house'], mayWrite: true });
});
