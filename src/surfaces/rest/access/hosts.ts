import { LociError } from '../../../core/errors.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses that mean every address, and so name none. */
const WILDCARDS = ['0.0.0.0', '::', '[::]'];

export interface HostSettings {
  readonly host: string;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** What a request says of where it goes and where it comes from. */
export interface HostHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

/**
 * Refuses what a browser sends for a page of somebody else: a name that was made to point here (DNS rebinding) shows in
 * `Host`, another site's page in `Origin` and `Sec-Fetch-Site`.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ host, hosts, origins }: HostSettings) {
    const own = WILDCARDS.includes(host) ? [] : [host.includes(':') ? `[${host}]` : host];
    this.#names = new Set([...LOOPBACK_NAMES, ...own, ...hosts].map((name) => name.toLowerCase()));
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /** @throws LociError `forbidden` that names the setting which would allow it */
  check(headers: HostHeaders): void {
    const { host = '', origin } = headers;
    if (!this.#names.has(nameOf(host)))
      throw new LociError('forbidden', `${quoted(host)} is no name of this server`, {
        hint: 'Call it by a name that `server.hosts` in loci.yaml lists.',
      });
    if (origin === undefined ? isOfThisSite(headers['sec-fetch-site']) : this.#isOwn(origin, host)) return;
    throw new LociError(
      'forbidden',
      `pages of ${quoted(origin ?? 'another site')} may not call this server`,
      {
        hint: 'Whoever runs Loci can allow it: `server.origins` in loci.yaml.',
      },
    );
  }

  /** Whether a page of this other origin may read answers. */
  allowsOrigin(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin.toLowerCase());
  }

  #isOwn(origin: string, host: string): boolean {
    if (this.allowsOrigin(origin)) return true;
    const [, scheme, authority] = /^(https?):\/\/(.+)$/i.exec(origin) ?? [];
    return scheme !== undefined && authority?.toLowerCase() === host.toLowerCase();
  }
}

/** `Example.org:8737` → `example.org`, `[::1]:8737` → `[::1]`. */
function nameOf(host: string): string {
  return host.replace(/:\d{1,5}$/, '').toLowerCase();
}

/** Browsers say so of each request; others do not, and need not be told apart. */
function isOfThisSite(site: string | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none';
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
