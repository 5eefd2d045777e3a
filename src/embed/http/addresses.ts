import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { LociError } from '../../core/errors.ts';

/** Link-local addresses, and those at which clouds give away the credentials of their machines. */
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
// Amazon's over IPv6, Alibaba's, Oracle's, and the address of Azure's host.
REFUSED.addAddress('fd00:ec2::254', 'ipv6');
REFUSED.addAddress('100.100.100.200', 'ipv4');
REFUSED.addAddress('192.0.0.192', 'ipv4');
REFUSED.addAddress('168.63.129.16', 'ipv4');

/** @throws LociError `invalid_config` for an address at which no provider may be, unless the settings state it */
function assertAllowed(address: string): void {
  // An IPv4 address inside an IPv6 one, such as ::ffff:169.254.169.254, is found by the rules for IPv4.
  if (!REFUSED.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
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
