import { LociError } from '../../core/errors.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** A server can listen on these addresses, but clients cannot connect to them. */
const WILDCARDS = ['0.0.0.0', '::', '[::]'];

interface HostSettings {
  readonly host: string;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** Headers of a request: `Host` names the server that it is addressed to, and the others the page that sent it. */
export interface HostHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
  readonly 'sec-fetch-mode'?: string | undefined;
  readonly 'sec-fetch-dest'?: string | undefined;
}

/**
 * Refuses requests that a browser sends for pages of other sites: DNS rebinding shows in `Host`, a cross-site request in
 * `Origin` and `Sec-Fetch-Site`.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ host, hosts, origins }: HostSettings) {
    const boundName = WILDCARDS.includes(host) ? [] : [host.includes(':') ? `[${host}]` : host];
    this.#names = new Set([...LOOPBACK_NAMES, ...boundName, ...hosts].map((name) => name.toLowerCase()));
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /**
   * @param isPage whether the request asks for a page without data, to which other sites may link
   * @throws LociError `forbidden`, with the setting that would allow the request
   */
  check(headers: HostHeaders, isPage = false): void {
    const { host = '', origin } = headers;
    if (!this.#names.has(nameOf(host)))
      throw new LociError('forbidden', `${quoted(host)} is not a name of this server`, {
        hint: 'Use a name of this server, or add it to `server.hosts` in loci.yaml.',
      });
    if (origin === undefined ? isSameSite(headers['sec-fetch-site']) : this.#isAllowed(origin, host)) return;
    if (isPage && origin === undefined && isNavigation(headers)) return;
    throw new LociError(
      'forbidden',
      `pages of ${quoted(origin ?? 'another site')} may not call this server`,
      {
        hint: 'The owner of the server can allow it: `server.origins` in loci.yaml.',
      },
    );
  }

  /** Whether pages of this origin may read answers (CORS). */
  allowsOrigin(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin.toLowerCase());
  }

  #isAllowed(origin: string, host: string): boolean {
    if (this.allowsOrigin(origin)) return true;
    return isOriginOf(origin, host);
  }
}

/** Whether an origin is that of a page of the server with this `Host`. */
export function isOriginOf(origin: string, host: string): boolean {
  const [, authority] = /^https?:\/\/(.+)$/i.exec(origin) ?? [];
  return authority?.toLowerCase() === host.toLowerCase();
}

/**
 * Whether a request came to a loopback name over the loopback interface. One through a tunnel of the owner (`ssh -L`) looks the same; the
 * `Host` that a proxy sends for another site differs from the `Origin` of its pages, which sessions refuse.
 */
export function isFromThisMachine({
  socket: { remoteAddress = '' },
  headers: { host = '' },
}: {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: HostHeaders;
}): boolean {
  return /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(remoteAddress) && LOOPBACK_NAMES.includes(nameOf(host));
}

/** `Example.org:8737` → `example.org`, `[::1]:8737` → `[::1]`. */
function nameOf(host: string): string {
  return host.replace(/:\d{1,5}$/, '').toLowerCase();
}

/** Only browsers send `Sec-Fetch-Site`; other clients need no check. */
function isSameSite(site: string | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Whether a link opens a page as a whole. A frame has another destination. */
function isNavigation(headers: HostHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
