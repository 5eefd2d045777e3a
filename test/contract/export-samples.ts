import { openSqliteInMemory } from './sqlite-in-memory.ts';
import { EngineContext } from '../../src/engine/context.ts';
import { exportPage } from '../../src/engine/portable/export.ts';
import { updateDigest, INITIAL_DIGEST } from '../../src/engine/portable/export-lines.ts';
import type { Trust } from '../../src/core/types.ts';
import { settings, temporaryFolder } from './engines.ts';
import { NOW } from './store-samples.ts';

/** A credential, which Loci masks. */
export const SECRET = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

export async function openEngine(
  options: { now?: () => number; writes?: boolean } = {},
): Promise<EngineContext> {
  await using folder = await temporaryFolder();
  const config = settings(folder.path, { writes: { enabled: options.writes ?? true } });
  return EngineContext.create(config, openSqliteInMemory(), { now: options.now ?? (() => NOW) });
}

export function asAgent(context: EngineContext, trust: Trust = 'agent'): EngineContext {
  return context.as({ namespace: 'default', actor: 'bot', surface: 'mcp', trust });
}

export async function exportLines(context: EngineContext): Promise<string> {
  return (await exportPage(context)).lines;
}

/** Applies an edit to the lines of an export, and makes a last line with their digest. */
export function editLines(lines: string, edit: (line: Record<string, unknown>) => unknown): string {
  const inner = lines.trimEnd().split('\n').slice(0, -1);
  const edited = inner.map((line) => JSON.stringify(edit(JSON.parse(line) as Record<string, unknown>)));
  const digest = edited.reduce(updateDigest, INITIAL_DIGEST);
  return [...edited, JSON.stringify({ type: 'end', lines: edited.length, digest })].join('\n');
}
