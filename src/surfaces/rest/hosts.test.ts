import { describe, expect, it } from 'vitest';
import { HostGuard, type HostHeaders, isFromThisMachine } from './hosts.ts';

const guard = new HostGuard({
  host: '0.0.0.0',
  hosts: ['Memory.example.org'],
  origins: ['https://app.example.org'],
});

describe('HostGuard', () => {
  it.each<HostHeaders>([
    { host: 'localhost' },
    { host: 'LOCALHOST:8737' },
    { host: '127.0.0.1:8737' },
    { host: '[::1]:8737' },
    { host: 'memory.example.org' },
    { host: 'localhost:8737', origin: 'http://localhost:8737', 'sec-fetch-site': 'same-origin' },
    { host: 'localhost:8737', 'sec-fetch-site': 'none' },
    { host: 'localhost:8737', origin: 'https://app.example.org', 'sec-fetch-site': 'cross-site' },
  ])('permits %j', (headers) => expect(() => guard.check(headers)).not.toThrow());

  it.each<HostHeaders>([
    {},
    { host: '' },
    { host: 'evil.example' },
    { host: 'evil.example:8737' },
    { host: 'localhost.evil.example' },
    { host: 'evil.example:80@localhost' },
    { host: 'localhost:8737:evil' },
    { host: '0.0.0.0:8737' },
    { host: 'localhost:8737', origin: 'http://evil.example' },
    { host: 'localhost:8737', origin: 'http://localhost:3000' },
    { host: 'localhost:8737', origin: 'http://localhost:8737.evil.example' },
    { host: 'localhost:8737', origin: 'null' },
    { host: 'localhost:8737', origin: 'https://app.example.org.evil.example' },
    { host: 'localhost:8737', 'sec-fetch-site': 'cross-site' },
    { host: 'localhost:8737', 'sec-fetch-site': 'same-site' },
  ])('refuses %j', (headers) =>
    expect(() => guard.check(headers)).toThrow(expect.objectContaining({ code: 'forbidden' })),
  );

  it('accepts the address that it listens on', () => {
    const v4 = new HostGuard({ host: '192.0.2.7', hosts: [], origins: [] });
    expect(() => v4.check({ host: '192.0.2.7:8737' })).not.toThrow();
    const v6 = new HostGuard({ host: 'fd00::7', hosts: [], origins: [] });
    expect(() => v6.check({ host: '[fd00::7]:8737' })).not.toThrow();
  });
});

describe('isFromThisMachine', () => {
  it.each([
    ['127.0.0.1', 'localhost:8737', true],
    ['127.9.9.9', '127.0.0.1:8737', true],
    ['::1', '[::1]:8737', true],
    ['::ffff:127.0.0.1', 'LOCALHOST:8737', true],
    ['192.168.1.7', 'localhost:8737', false],
    ['::ffff:10.0.0.9', '127.0.0.1', false],
    ['fe80::127.0.0.1', '127.0.0.1', false],
    // A proxy on this machine.
    ['127.0.0.1', 'memory.example.org', false],
    // A Unix socket.
    [undefined, 'localhost', false],
    ['127.0.0.1', undefined, false],
  ])('of %s for %s is %s', (remoteAddress, host, expected) =>
    expect(isFromThisMachine({ socket: { remoteAddress }, headers: { host } })).toBe(expected),
  );
});
