import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { MemoryCapability, PublicArtifact } from './host/api.ts';
import type { Workspace } from './engine/agent-workspaces.ts';

/**
 * The memory files of all workspaces, which the bridge of memory-wiki imports. Their kinds are those of memory-core, since the
 * settings of the bridge choose by them.
 */
export function publicArtifacts(workspaces: () => readonly Workspace[]): MemoryCapability['publicArtifacts'] {
  return {
    async listArtifacts() {
      const agents = new Map<string, string[]>();
      for (const { agent, folder } of workspaces())
        agents.set(folder, [...(agents.get(folder) ?? []), agent]);
      const listed = await Promise.all([...agents].map(([folder, ids]) => artifactsIn(folder, ids)));
      return listed.flat();
    },
  };
}

/** Links are left out, because they may lead out of the workspace. */
async function artifactsIn(folder: string, agentIds: readonly string[]): Promise<PublicArtifact[]> {
  const top = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const hasRoot = top.some((entry) => entry.name === ROOT_FILE && entry.isFile());
  const hasNotes = top.some((entry) => entry.name === 'memory' && entry.isDirectory());
  const notes = hasNotes
    ? await readdir(join(folder, 'memory'), { recursive: true, withFileTypes: true }).catch(() => [])
    : [];
  const paths = notes
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  return [...(hasRoot ? [ROOT_FILE] : []), ...paths.toSorted()].map((relativePath) => ({
    kind: kindOf(relativePath),
    workspaceDir: folder,
    relativePath,
    absolutePath: join(folder, relativePath),
    agentIds: [...agentIds],
    contentType: 'markdown',
  }));
}

const ROOT_FILE = 'MEMORY.md';

function kindOf(path: string): string {
  if (path === ROOT_FILE) return 'memory-root';
  return path.startsWith('memory/dreaming/') ? 'dream-report' : 'daily-note';
}
