import { packageVersion } from '../../core/runtime.ts';
import { toJson } from '../shared/escape-control.ts';

/** The version; with `json` also what a report of a bug needs: Node, SQLite, the machine and the bundled model. */
export async function versionText(json: boolean): Promise<string> {
  const version = packageVersion();
  if (!json) return `${version}\n`;
  const { openEmbedder } = await import('../../embed/registry.ts');
  const embedder = await openEmbedder({ provider: 'local' });
  await embedder?.close();
  const { node, sqlite = null } = process.versions;
  const { platform, arch } = process;
  return `${toJson({ version, node, sqlite, platform, arch, model: embedder?.model ?? null })}\n`;
}
