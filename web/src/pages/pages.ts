import type { ComponentType } from 'preact';
import { SHELL } from '../text/shell.ts';
import type { Text } from '../text/text.ts';
import type { PageProps } from '../router.tsx';

interface PageEntry {
  /** The first part of the path. */
  readonly path: string;
  /** Its name in the navigation; a page without one is opened from others. */
  readonly name?: Text;
  readonly group?: keyof typeof GROUPS;
  /** Loads the page when it is opened first. */
  readonly load: () => Promise<ComponentType<PageProps>>;
}

export const GROUPS = {
  find: SHELL.groupFind,
  given: SHELL.groupGiven,
  run: SHELL.groupRun,
} as const;

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  {
    path: 'search',
    name: SHELL.search,
    group: 'find',
    load: async () => (await import('./search/search.tsx')).SearchPage,
  },
  {
    path: 'inbox',
    name: SHELL.inbox,
    group: 'find',
    load: async () => (await import('./inbox/inbox.tsx')).InboxPage,
  },
  {
    path: 'records',
    name: SHELL.records,
    group: 'find',
    load: async () => (await import('./records/records.tsx')).RecordsPage,
  },
  {
    path: 'record',
    load: async () => (await import('./record/record.tsx')).RecordPage,
  },
  {
    path: 'graph',
    name: SHELL.graph,
    group: 'find',
    load: async () => (await import('./graph/graph.tsx')).GraphPage,
  },
  {
    path: 'packs',
    name: SHELL.packs,
    group: 'given',
    load: async () => (await import('./packs/packs.tsx')).PacksPage,
  },
  {
    path: 'receipts',
    name: SHELL.receipts,
    group: 'given',
    load: async () => (await import('./packs/receipts.tsx')).ReceiptsPage,
  },
  {
    path: 'facts',
    name: SHELL.facts,
    group: 'given',
    load: async () => (await import('./facts/facts.tsx')).FactsPage,
  },
  {
    path: 'startup',
    name: SHELL.startup,
    group: 'given',
    load: async () => (await import('./startup/startup.tsx')).StartupPage,
  },
  {
    path: 'sources',
    name: SHELL.sources,
    group: 'run',
    load: async () => (await import('./sources/sources.tsx')).SourcesPage,
  },
  {
    path: 'health',
    name: SHELL.health,
    group: 'run',
    load: async () => (await import('./health/health.tsx')).HealthPage,
  },
  {
    path: 'sessions',
    name: SHELL.sessions,
    group: 'run',
    load: async () => (await import('./sessions/sessions.tsx')).SessionsPage,
  },
];
