import { ageOf } from '../core/age.ts';
import type { Config } from '../core/config/schema.ts';
import { LociError, messageOf } from '../core/errors.ts';
import type { Timestamp } from '../core/types.ts';
import type { StoreStats } from '../store/stats.ts';
import type { Generation } from '../store/embeddings.ts';
import type { Check, Finding } from './check.ts';
import { checkNotes } from './check-notes.ts';
import { checkPassages } from './check-passages.ts';
import { activeOf, type EngineContext } from './context.ts';
import { changesInWords } from './vault-changes.ts';
import { type StrayVault, type VaultState, type VaultStates, vaultStates } from './vault-states.ts';

export interface Status {
  readonly storePath: string;
  readonly store: string;
  readonly namespace: string;
  readonly stats: StoreStats;
  readonly generation: Generation | null;
  /** Contents without a vector of the active generation. */
  readonly pending: number;
  readonly vaults: Config['vaults'];
}

export async function status(context: EngineContext): Promise<Status> {
  const { store, config, namespace } = context;
  const generation = activeOf(await store.generations()) ?? null;
  return {
    storePath: config.store.path,
    store: store.capabilities.name,
    namespace,
    stats: await store.stats(),
    generation,
    pending: generation === null ? 0 : await store.countPending(generation.id),
    vaults: config.vaults,
  };
}

/** Looks at everything that can be wrong with an open store; never changes it. */
export async function examine(context: EngineContext): Promise<Check[]> {
  return [
    await checked('store', 'Restore a backup, or run `loci reindex`.', () => checkStore(context)),
    await checked('derived', 'Run `loci reindex`.', () => checkPassages(context)),
    await checked('audit', 'Somebody changed the store without Loci: compare it with a backup.', () =>
      checkAudit(context),
    ),
    await checked('embedding', 'Run `loci reindex --vectors`.', () => checkEmbedding(context)),
    ...(await checkVaults(context)),
  ];
}

/** Resolves when the store and the model answer. @throws LociError what keeps them from it */
export async function answers(context: EngineContext): Promise<void> {
  await context.store.generations();
  const embedder = await context.embedder();
  await embedder?.embed(['loci'], { purpose: 'query' });
}

async function checkVaults(context: EngineContext): Promise<Check[]> {
  try {
    const states = vaultChecks(await vaultStates(context), context.now());
    const notes = await Promise.all(context.config.vaults.map((vault) => checkNotes(context, vault)));
    return [...states, ...notes.flat()];
  } catch (error) {
    return [{ name: 'vaults', result: 'failed', detail: messageOf(error), hint: null }];
  }
}

async function checked(name: string, hint: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    const finding = await look();
    return { name, hint: finding.result === 'ok' ? null : hint, ...finding };
  } catch (error) {
    // "Run `loci doctor`" helps nobody who has just done so.
    const said = error instanceof LociError && error.code !== 'store_failed' ? error.hint : hint;
    return { name, result: 'failed', detail: messageOf(error), hint: said };
  }
}

async function checkStore({ store }: EngineContext): Promise<Finding> {
  const findings = await store.verify();
  if (findings.length === 0) return { result: 'ok', detail: 'the file and every index are sound' };
  const lines = findings.map(({ namespace, what }) => (namespace === null ? what : `${namespace}: ${what}`));
  return { result: 'failed', detail: lines.join('\n') };
}

async function checkAudit({ store, namespace }: EngineContext): Promise<Finding> {
  const broken = await store.verifyAudit(namespace);
  const chains = await store.auditChains(namespace);
  const entries = chains.reduce((sum, { length }) => sum + length, 0);
  if (broken.length > 0) return { result: 'failed', detail: broken.join('\n') };
  return {
    result: 'ok',
    detail: `${String(entries)} ${entries === 1 ? 'entry' : 'entries'}, none cut or changed`,
  };
}

async function checkEmbedding(context: EngineContext): Promise<Finding> {
  const embedder = await context.embedder();
  if (embedder === null) return { result: 'ok', detail: 'provider none: text, spelling and recency alone' };
  const side = await context.vectors();
  await embedder.embed(['loci'], { purpose: 'query' });
  const model = `${embedder.provider} ${embedder.model} answers`;
  const pending = side === null ? 0 : await context.store.countPending(side.generation);
  if (pending === 0) return { result: 'ok', detail: model };
  return {
    result: 'warning',
    detail: `${model}; ${String(pending)} texts are not embedded yet`,
    hint: 'Run `loci index`.',
  };
}

function vaultChecks({ vaults, strays }: VaultStates, now: Timestamp): Check[] {
  return [...vaults.map((vault) => checkVault(vault, now)), ...strays.map(checkStray)];
}

function checkVault({ name, path, lastRead, changes, unreadable }: VaultState, now: Timestamp): Check {
  const check = { name: `vault ${name}`, result: 'warning' as const, hint: 'Run `loci index`.' };
  if (unreadable !== null)
    return {
      ...check,
      result: 'failed',
      detail: unreadable,
      hint: `Mount it or correct its path; \`loci forget-vault ${JSON.stringify(name)}\` takes it out.`,
    };
  if (lastRead === null || changes === null) return { ...check, detail: `${path}; it was not read yet` };
  const told = changesInWords(changes);
  const since = `read ${ageOf(lastRead, now)}`;
  if (told !== '') return { ...check, detail: `${path}; ${since}, since then ${told}` };
  return { ...check, result: 'ok', detail: `${path}; ${since}`, hint: null };
}

function checkStray({ name, records }: StrayVault): Check {
  const many = records === 1 ? '1 record' : `${String(records)} records`;
  return {
    name: `vault ${name}`,
    result: 'warning',
    detail: `${many} of a vault that is not in the settings: they are found, and nothing refreshes them`,
    hint: `Put the vault back into loci.yaml with the name ${name}, or take its records out: loci forget-vault ${JSON.stringify(name)}`,
  };
}
