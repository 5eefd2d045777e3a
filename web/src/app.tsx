import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, noAnswer } from './api/client.ts';
import { onConnection } from './api/connection.ts';
import { endSession, session } from './api/session.ts';
import { useRequest } from './api/use-request.ts';
import { selectTheme, theme, type Theme } from './design/theme.ts';
import { GROUPS, PAGES } from './pages/pages.ts';
import { useInboxCount } from './parts/inbox-count.ts';
import { KeyHelp, takeEarlyKeys, useKeys } from './parts/keys.tsx';
import { Empty, Failure, Skeleton } from './parts/states.tsx';
import { Toasts } from './parts/toasts.tsx';
import { href, Link, navigate, type PageProps, usePlace } from './router.tsx';
import { SHELL } from './text/shell.ts';
import { formatNumber, language, selectLanguage, t } from './text/text.ts';

interface AppProps {
  readonly initial: 'open' | 'closed' | 'spent';
}

/** The frame of all pages: navigation, the content, and what is shown while there is no session. */
export function App({ initial }: AppProps): JSX.Element {
  const [state, setState] = useState(initial);
  const { path } = usePlace();
  useEffect(() => session.onChange(setState), []);
  const { first } = partsOf(path);
  useEffect(() => {
    // The search takes it itself.
    if (state !== 'open' || !['', 'search'].includes(first)) takeEarlyKeys();
  });
  return state === 'open' ? <Shell /> : <Locked spent={state === 'spent'} />;
}

function Locked({ spent }: { readonly spent: boolean }): JSX.Element {
  useEffect(() => {
    document.title = 'Loci';
  }, []);
  return (
    <main class="locked card">
      <h1>{t(spent ? SHELL.spentTitle : SHELL.lockedTitle)}</h1>
      <p>{t(spent ? SHELL.spent : SHELL.locked)}</p>
      <code class="command">loci ui</code>
    </main>
  );
}

function Shell(): JSX.Element {
  const { path, query } = usePlace();
  const { first, rest } = partsOf(path);
  const [menuOpen, setMenuOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const [isUp, setUp] = useState(true);
  useEffect(() => onConnection(setUp), []);
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    if (first === '') navigate(href('/search'), { replace: true });
    setMenuOpen(false);
  }, [first]);
  useKeys([
    { key: '/', does: t(SHELL.keySearch), run: () => openSearch() },
    { key: '?', does: t(SHELL.keyHelp), run: () => setHelpOpen(true) },
  ]);
  const isOwn = session.namespace === session.own;
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={() => content.current?.focus()}>
        {t(SHELL.skip)}
      </a>
      <header class={menuOpen ? 'sidebar open' : 'sidebar'}>
        <div class="top">
          <Link class="brand" to={href('/search')}>
            <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" />
            Loci
          </Link>
          <button
            type="button"
            class="button small menu-button"
            aria-expanded={menuOpen}
            onClick={() => setMenuOpen(!menuOpen)}
          >
            {t(SHELL.menu)}
          </button>
        </div>
        <Navigation current={first} />
        <Settings onHelp={() => setHelpOpen(true)} />
      </header>
      <main class="content" id="content" ref={content} tabIndex={-1}>
        {!isUp && (
          <div class="banner" role="alert">
            {t(SHELL.offline)}
          </div>
        )}
        {!isOwn && (
          <div class="banner" role="status">
            <span>{t(SHELL.otherMemory, { name: session.namespace })}</span>
            <button type="button" class="button small" onClick={() => session.select(session.own)}>
              {t(SHELL.backToOwn)}
            </button>
          </div>
        )}
        <Content path={first} rest={rest} query={query} />
      </main>
      <Toasts />
      {helpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

/** `/record/12` is the page `record` with the rest `12`. */
function partsOf(path: string): { first: string; rest: string } {
  const [, first = '', rest = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? [];
  return { first, rest };
}

function openSearch(): void {
  const field = document.querySelector<HTMLInputElement>('input[type=search]');
  if (field === null) navigate(href('/search'));
  else field.select();
}

function Navigation({ current }: { readonly current: string }): JSX.Element {
  const unseen = useInboxCount();
  return (
    <nav aria-label={t(SHELL.pages)}>
      {(Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => {
        const pages = PAGES.filter((page) => page.group === group);
        if (pages.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{t(GROUPS[group])}</h2>
            <ul>
              {pages.map(({ path, name }) => (
                <li key={path}>
                  <Link to={href(`/${path}`)} aria-current={path === current ? 'page' : undefined}>
                    {name === undefined ? path : t(name)}
                    {path === 'inbox' && unseen > 0 && <span class="badge">{formatNumber(unseen)}</span>}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}

/** Whose memory the pages show. The owner can look at that of others, if there are any. */
function Namespaces(): JSX.Element {
  const { data } = useRequest((signal) => call('/api/v1/namespaces', {}, { signal }), null);
  const names = data?.namespaces ?? [];
  if (names.length < 2)
    return (
      <p class="memory-of">
        {t(SHELL.memoryOf)} <strong>{session.namespace}</strong>
      </p>
    );
  return (
    <label>
      {t(SHELL.memoryOf)}
      <select value={session.namespace} onChange={({ currentTarget }) => session.select(currentTarget.value)}>
        {names.map(({ namespace, records }) => (
          <option key={namespace} value={namespace}>
            {namespace} ({formatNumber(records)})
          </option>
        ))}
      </select>
    </label>
  );
}

function Settings({ onHelp }: { readonly onHelp: () => void }): JSX.Element {
  const [chosen, setChosen] = useState(theme());
  return (
    <footer>
      <Namespaces />
      <label>
        {t(SHELL.theme)}
        <select
          value={chosen}
          onChange={({ currentTarget }) => {
            selectTheme(currentTarget.value as Theme);
            setChosen(theme());
          }}
        >
          <option value="system">{t(SHELL.themeSystem)}</option>
          <option value="light">{t(SHELL.themeLight)}</option>
          <option value="dark">{t(SHELL.themeDark)}</option>
        </select>
      </label>
      <label>
        {t(SHELL.language)}
        <select
          value={language}
          onChange={({ currentTarget }) => selectLanguage(currentTarget.value === 'de' ? 'de' : 'en')}
        >
          <option value="en">English</option>
          <option value="de">Deutsch</option>
        </select>
      </label>
      <button type="button" class="button quiet small" onClick={onHelp}>
        {t(SHELL.keys)} <kbd>?</kbd>
      </button>
      <button type="button" class="button quiet small" onClick={() => void endSession()}>
        {t(SHELL.lock)}
      </button>
    </footer>
  );
}

const loaded = new Map<string, ComponentType<PageProps>>();

/** The page of a path. Its code is loaded when it is opened first. */
function Content({ path, ...props }: PageProps & { readonly path: string }): JSX.Element {
  const entry = PAGES.find((page) => page.path === path);
  const request = useRequest(async () => {
    if (entry === undefined || loaded.has(path)) return null;
    // A page that was not opened before comes from the server too.
    const page = await entry.load().catch(() => {
      throw noAnswer();
    });
    loaded.set(path, page);
    return null;
  }, path);
  if (path === '') return <Skeleton />;
  if (entry === undefined)
    return (
      <Empty title={t(SHELL.notFoundTitle)}>
        <p>{t(SHELL.notFound)}</p>
        <Link class="button" to={href('/search')}>
          {t(SHELL.toSearch)}
        </Link>
      </Empty>
    );
  const Loaded = loaded.get(path);
  if (Loaded !== undefined) return <Loaded key={`${path} ${session.namespace}`} {...props} />;
  if (request.error !== undefined) return <Failure error={request.error} onRetry={request.reload} />;
  return <Skeleton />;
}
