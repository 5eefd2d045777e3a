/** What the server says about the session of this page. */
export interface Session {
  readonly csrf?: string;
  /** Its id in the list of tokens. */
  readonly id: string;
  /** The namespace of the owner. */
  readonly namespace: string;
  readonly expires_at: string;
  /** Whether this page is on the machine of the server. */
  readonly same_machine: boolean;
}

const CSRF_KEY = 'loci-csrf';
const NAMESPACE_KEY = 'loci-namespace';

type Listener = (state: 'open' | 'closed') => void;
const listeners = new Set<Listener>();

/** The session: its cookie is hidden from scripts, and each request needs a second value, which is kept here. */
export const session = {
  id: '',
  own: '',
  isOnMachine: false,
  /** The namespace that the pages show. */
  get namespace(): string {
    return sessionStorage.getItem(NAMESPACE_KEY) ?? this.own;
  },
  /** Whether the page may name files for the settings: on the machine of the server, for the memory of its owner. */
  get namesFiles(): boolean {
    return this.isOnMachine && this.namespace === this.own;
  },
  headers(): Record<string, string> {
    const csrf = localStorage.getItem(CSRF_KEY);
    const { namespace } = this;
    return {
      ...(csrf !== null && { 'X-Loci-Csrf': csrf }),
      ...(namespace !== this.own && { 'X-Loci-Namespace': encodeURIComponent(namespace) }),
    };
  },
  /** Shows another namespace in this tab. Everything is read again. */
  select(namespace: string): void {
    if (namespace === this.own) sessionStorage.removeItem(NAMESPACE_KEY);
    else sessionStorage.setItem(NAMESPACE_KEY, namespace);
    location.assign('/ui/');
  },
  onChange(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** The server does not know the session any more. */
export function sessionLost(): void {
  for (const listener of listeners) listener('closed');
}

/** Opens the session with the code in the address, or goes on with the one that there is. */
export async function openSession(): Promise<'open' | 'closed' | 'spent'> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    // The code must not remain in the history of the browser.
    history.replaceState(null, '', location.pathname + location.search);
    const answer = await fetch('/ui/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) return opened((await answer.json()) as Session);
    return (await resume()) === 'open' ? 'open' : 'spent';
  }
  return resume();
}

async function resume(): Promise<'open' | 'closed'> {
  const csrf = localStorage.getItem(CSRF_KEY);
  if (csrf === null) return 'closed';
  const answer = await fetch('/ui/session', { headers: { 'X-Loci-Csrf': csrf } });
  return answer.ok ? opened((await answer.json()) as Session) : 'closed';
}

function opened({ csrf, id, namespace, same_machine: isOnMachine }: Session): 'open' {
  if (csrf !== undefined) localStorage.setItem(CSRF_KEY, csrf);
  session.id = id;
  session.own = namespace;
  session.isOnMachine = isOnMachine;
  return 'open';
}

/** Ends the session in this browser. */
export async function endSession(): Promise<void> {
  await fetch('/ui/session', { method: 'DELETE', headers: session.headers() });
  localStorage.removeItem(CSRF_KEY);
  sessionLost();
}
