import { loadConfig } from '../../src/config/load.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { openInline } from '../contract/engines.ts';

/** Prepares a home with an engine of the owner. */
export async function withEngine(home: string, work: (owner: EngineContext) => Promise<void>): Promise<void> {
  const { values } = await loadConfig({ home, env: { LOCI_EMBEDDING_PROVIDER: 'none' } });
  const owner = await openInline(values);
  try {
    await work(owner);
  } finally {
    await owner.close();
  }
}

/** An agent in the memory of the owner. */
export function agentOf(owner: EngineContext, actor: string, session = `session of ${actor}`): EngineContext {
  return owner.as({ ...owner.caller, actor, surface: 'mcp', trust: 'agent', session });
}
