import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { LociError } from '../../core/errors.ts';

/** Link-local addresses, and those at which clouds give away the credentials of their machines. */
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
// Of Amazon (also of its Kubernetes), Google, Oracle and Scaleway over IPv6.
for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'])
  REFUSED.addAddress(address, 'ipv6');
// Of Alibaba, Oracle, and Azure's host.
for (const address of ['100.100.100.200', '192.0.0.192', '168.63.129.16'])
  REFUSED.addAddress(address, 'ipv4');

const TEREDO = /^20010000/;
/** An IPv6 prefix in front of an IPv4 address, and where that begins, in hexadecimal digits. */
const IPV4_POSITIONS: readonly (readonly [prefix: RegExp, ...positions: number[]])[] = [
  // IPv4-compatible, IPv4-mapped (RFC 4291), IPv4-translated (RFC 2765); the well-known prefix of NAT64 (RFC 6052).
  [/^(?:0{24}|0{20}ffff|0{16}ffff0{4}|0064ff9b0{16})/, 24],
  // The prefix of NAT64 for local use (RFC 8215), which is divided into prefixes of 96, 64, 56 or 48 bits.
  [/^0064ff9b0001/, 24, 18, 14, 12],
  // ISATAP (RFC 5214).
  [/^.{16}0[02]005efe/, 24],
  // 6to4 (RFC 3056).
  [/^2002/, 4],
  // The server of Teredo (RFC 4380).
  [TEREDO, 8],
];

/** The IPv4 addresses to which a translator or tunnel may lead that the IPv6 address is of. */
function ipv4In(address: string): string[] {
  const digits = digitsOf(address);
  const at = (position: number): number => {
    // Bits 64 to 71 are no part of an IPv4 address that begins before them (RFC 6052, section 2.2).
    const rest = position > 8 && position < 16 ? digits.slice(0, 16) + digits.slice(18) : digits;
    return Number.parseInt(rest.slice(position, position + 8), 16);
  };
  const positions = IPV4_POSITIONS.filter(([prefix]) => prefix.test(digits)).flatMap(([, ...all]) => all);
  // The bits of a client of Teredo are inverted.
  const found = [...positions.map(at), ...(TEREDO.test(digits) ? [~at(24)] : [])];
  return found.map((bits) => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.'));
}

/** The 32 hexadecimal digits. A URL has the shortest form of an address, without dots. */
function digitsOf(address: string): string {
  const [left = '', right = ''] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.replaceAll(/[^:]+/g, (group) => group.padStart(4, '0')).replaceAll(':', ''));
  return left + right.padStart(32 - left.length, '0');
}

/** @throws LociError `invalid_config` for an address at which no provider may be, unless the settings state it */
function assertAllowed(address: string): void {
  // The interface after % does not matter.
  const [plain = ''] = address.split('%');
  const forms = isIPv6(plain) ? [plain, ...ipv4In(plain)] : [plain];
  if (!forms.some((form) => REFUSED.check(form, isIPv6(form) ? 'ipv6' : 'ipv4'))) return;
  throw new LociError(
    'invalid_config',
    `the embedding provider would be at ${address}, which is a link-local address or one of a cloud's own services`,
    {
      hint: 'Correct `embedding.url`, or set `embedding.allowLinkLocal: true` if the provider really is there.',
    },
  );
}

/** Checks the host of a URL if it is an address. Names are checked when they are looked up. @throws LociError `invalid_config` */
export function assertAllowedHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) assertAllowed(host);
}

/** `dns.lookup` that fails for a name with a refused address. The connection is made to what was checked. */
export const lookupAllowed: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    try {
      if (error !== null) throw error;
      for (const { address } of addresses) assertAllowed(address);
    } catch (refusal) {
      callback(refusal as NodeJS.ErrnoException, '');
      return;
    }
    const [first] = addresses;
    if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  });
};
