import { toJson } from '../report-error.ts';
import type { Renderer } from './operation-command.ts';

/* eslint-disable @typescript-eslint/no-explicit-any -- each renders the output of the verb of its name */
const RENDERERS: Readonly<Record<string, () => Promise<Renderer<any>>>> = {
  init: async () => (await import('./init.ts')).initRenderer,
  index: async () => (await import('./vaults.ts')).indexRenderer,
  search: async () => (await import('./records/search.ts')).searchRenderer,
  get: async () => (await import('./records/get.ts')).getRenderer,
  write: async () => (await import('./records/changes.ts')).writeRenderer,
  update: async () => (await import('./records/changes.ts')).updateRenderer,
  delete: async () => (await import('./records/changes.ts')).deleteRenderer,
  undelete: async () => (await import('./records/changes.ts')).undeleteRenderer,
  'fact-store': async () => (await import('./facts.ts')).factStoreRenderer,
  'fact-recall': async () => (await import('./facts.ts')).factRecallRenderer,
  'fact-list': async () => (await import('./facts.ts')).factListRenderer,
  'fact-forget': async () => (await import('./facts.ts')).factForgetRenderer,
  'fact-categories': async () => (await import('./facts.ts')).factCategoriesRenderer,
  corpus: async () => (await import('./corpus.ts')).corpusRenderer,
  'startup-list': async () => (await import('./startup.ts')).startupListRenderer,
  'startup-set': async () => (await import('./startup.ts')).startupSetRenderer,
  'startup-remove': async () => (await import('./startup.ts')).startupRemoveRenderer,
  'startup-preview': async () => (await import('./startup.ts')).startupPreviewRenderer,
  'startup-inject': async () => (await import('./startup.ts')).startupInjectRenderer,
  'sources-list': async () => (await import('./sources/list.ts')).sourcesListRenderer,
  'sources-show': async () => (await import('./sources/list.ts')).sourcesShowRenderer,
  'sources-test': async () => (await import('./sources/refresh.ts')).sourcesTestRenderer,
  'sources-approve': async () => (await import('./sources/list.ts')).sourcesApproveRenderer,
  'sources-refresh': async () => (await import('./sources/refresh.ts')).sourcesRefreshRenderer,
  'sources-pause': async () => (await import('./sources/list.ts')).sourcesPauseRenderer,
  'sources-resume': async () => (await import('./sources/list.ts')).sourcesPauseRenderer,
  'sources-remove': async () => (await import('./sources/list.ts')).sourcesRemoveRenderer,
  audit: async () => (await import('./audit.ts')).auditRenderer,
  status: async () => (await import('./status.ts')).statusRenderer,
  doctor: async () => (await import('./doctor.ts')).doctorRenderer,
  reindex: async () => (await import('./reindex.ts')).reindexRenderer,
  import: async () => (await import('./import.ts')).importRenderer,
  export: async () => (await import('./export.ts')).exportRenderer,
  'forget-vault': async () => (await import('./forget-vault.ts')).forgetVaultRenderer,
  'config-show': async () => (await import('./settings.ts')).configShowRenderer,
  'config-get': async () => (await import('./settings.ts')).configGetRenderer,
  'config-set': async () => (await import('./settings.ts')).configSetRenderer,
  'token-create': async () => (await import('./tokens.ts')).tokenCreateRenderer,
  'token-list': async () => (await import('./tokens.ts')).tokenListRenderer,
  'token-revoke': async () => (await import('./tokens.ts')).tokenRevokeRenderer,
};

/** A verb without a renderer of its own is shown as JSON. */
export async function loadRenderer(operation: string): Promise<Renderer<any>> {
  const load = Object.hasOwn(RENDERERS, operation) ? RENDERERS[operation] : undefined;
  return load === undefined ? { render: (output) => `${toJson(output)}\n` } : load();
}
