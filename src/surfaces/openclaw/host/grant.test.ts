import { expect, it } from 'vitest';
import { namespaceOf } from './agents.ts';
import { accessOf, grantOf } from './grant.ts';
import { operatorTurn, type Turn } from './turn.ts';

const MAIN = operatorTurn('main');
const STRANGER: Turn = { agent: 'main', isOwner: false, isSandboxed: false };
const NOTHING = [null, [], false] as const;
const SHARED = { shared: ['family', 'default'], write: true };
const STRICT = { nonOwner: { read: 'all', write: true }, sandboxed: { read: 'none' } };
const FAMILY = { kids: { namespace: 'family' }, main: { namespace: 'family' } };

type Expected = readonly [own: string | null, shared: readonly string[], mayWrite: boolean];

it.each<[what: string, config: object, turn: Partial<Turn>, expected: Expected]>([
  ['the owner', {}, MAIN, ['agent:main', ['default'], true]],
  ['a sandbox of the owner', {}, { ...MAIN, isSandboxed: true }, ['agent:main', [], false]],
  ['somebody else', {}, {}, NOTHING],
  ['a sandbox of somebody else', {}, { isSandboxed: true }, NOTHING],
  ['a sender', {}, { peer: 'bob' }, NOTHING],
  ['somebody else, with whom something is shared', { nonOwner: SHARED }, {}, ['family', ['default'], false]],
  ['a sandbox, with which nothing is shared', { nonOwner: SHARED }, { isSandboxed: true }, NOTHING],
  ['the owner, who shares something', { nonOwner: SHARED }, MAIN, ['agent:main', ['default'], true]],
  ['somebody else under one restriction', STRICT, {}, ['agent:main', ['default'], true]],
  ['somebody else under two, of which the strictest decides', STRICT, { isSandboxed: true }, NOTHING],
  ['the owner in a sandbox that reads nothing', STRICT, { ...MAIN, isSandboxed: true }, NOTHING],
])('what a turn may read and write: %s', (_, config, turn, [own, shared, mayWrite]) => {
  const grant = grantOf(
    accessOf(config as never),
    { configured: 'default', peerKey: '' },
    { ...STRANGER, ...turn },
  );
  expect(grant).toEqual({ own, shared, mayWrite });
});

it('agents share memory only if the settings give them the same namespace', () => {
  expect(namespaceOf('kids', FAMILY)).toBe(namespaceOf('main', FAMILY));
  // A name of a property of every object is no setting.
  expect(namespaceOf('constructor', FAMILY)).toBe('agent:constructor');
  const settings = { ...accessOf({}), agents: FAMILY, shared: ['family', 'house'] };
  expect(grantOf(settings, { configured: 'default', peerKey: '' }, MAIN)).toEqual({
    ...{ own: 'family', shared: ['house'], mayWrite: true },
  });
});
