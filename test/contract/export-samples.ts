import { openSqliteInMemory } from './sqlite-in-memory.ts';
import { EngineContext } from '../../src/engine/context.ts';
import { exportPage } from '../../src/engine/portable/export/export-pages.ts';
import { updateDigest, INITIAL_DIGEST } from '../../src/engine/portable/format/export-item.ts';
import type { Trust } from '../../src/core/types.ts';
import { settings, temporaryFolder } from './engines.ts';
import { NOW } from './store-samples.ts';

/** A credential that is masked. */
export const SECRET = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

export async function openEngine(
  given: { now?: () => number; writes?: boolean } = {},
): Promise<EngineContext> {
  await using folder = await temporaryFolder();
  const config = settings(folder.path, { writes: { enabled: given.writes ?? true } });
  return EngineContext.create(config, openSqliteInMemory(), { now: given.now ?? (() => NOW) });
}

export function asAgent(context: EngineContext, trust: Trust = 'agent'): EngineContext {
  return context.as({ namespace: 'default', actor: 'bot', surface: 'mcp', trust });
}

export async function exportLines(context: EngineContext): Promise<string> {
  return (await exportPage(context)).lines;
}

/** The same export with other lines and a matching last line. */
export function editLines(lines: string, edit: (line: Record<string, unknown>) => unknown): string {
  const inner = lines.trimEnd().split('\n').slice(0, -1);
  const changed = inner.map((line) => JSON.stringify(edit(JSON.parse(line) as Record<string, unknown>)));
  const digest = changed.reduce(updateDigest, INITIAL_DIGEST);
  return [...changed, JSON.stringify({ type: 'end', lines: changed.length, digest })].join('\n');
}
