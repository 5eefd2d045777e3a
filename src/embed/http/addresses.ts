import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { LociError } from '../../core/errors.ts';

/** Link-local addresses, and those at which clouds give away the credentials of their machines. */
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
// Of Amazon (also of its Kubernetes), Google, Oracle and Scaleway over IPv6; of Alibaba, Oracle, and Azure's host.
REFUSED.addAddress('fd00:ec2::254', 'ipv6');
REFUSED.addAddress('fd00:ec2::23', 'ipv6');
REFUSED.addAddress('fd20:ce::254', 'ipv6');
REFUSED.addAddress('fd00:c1::a9fe:a9fe', 'ipv6');
REFUSED.addAddress('fd00:42::42', 'ipv6');
REFUSED.addAddress('100.100.100.200', 'ipv4');
REFUSED.addAddress('192.0.0.192', 'ipv4');
REFUSED.addAddress('168.63.129.16', 'ipv4');

/** The well-known prefix of NAT64 and the one for local use (RFC 6052, RFC 8215); `0:0:0:0:0:0` is IPv4-compatible (RFC 4291). */
const IPV4_AT_THE_END = /^(64:ff9b:(0:0:0:0|1:[^:]+:[^:]+:[^:]+)|0:0:0:0:0:0):/;
/** 6to4 (RFC 3056). */
const IPV4_AFTER_2002 = /^2002:/;

/** The IPv4 address to which a translator or tunnel leads that the IPv6 address is of; `null` if it is of none. */
function ipv4In(address: string): string | null {
  const groups = groupsOf(address);
  const text = groups.map((group) => group.toString(16)).join(':');
  if (IPV4_AT_THE_END.test(text)) return ipv4Of(groups.slice(6));
  return IPV4_AFTER_2002.test(text) ? ipv4Of(groups.slice(1, 3)) : null;
}

/** The eight groups of 16 bits. A URL has the shortest form of an address, without dots. */
function groupsOf(address: string): number[] {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = shortest.split('::');
  const [left, right] = [before, after ?? ''].map((half) =>
    half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16)),
  ) as [number[], number[]];
  const zeros = after === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<number>(zeros).fill(0), ...right];
}

function ipv4Of(groups: readonly number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 255]).join('.');
}

/** @throws LociError `invalid_config` for an address at which no provider may be, unless the settings state it */
function assertAllowed(address: string): void {
  // The interface after % does not matter.
  const [plain = ''] = address.split('%');
  // The rules for IPv4 also find ::ffff:169.254.169.254, but no other form of IPv4 in IPv6.
  const forms = isIPv6(plain) ? [plain, ipv4In(plain) ?? []].flat() : [plain];
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
    if (error !== null) {
      callback(error, '');
      return;
    }
    try {
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
