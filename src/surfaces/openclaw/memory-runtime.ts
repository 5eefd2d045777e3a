import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { answerWithin, type GatewayMemory } from './gateway-memory.ts';
import type { EngineModules } from './engine/modules.ts';
import type {
  MemoryCapability,
  MemoryManager,
  MemoryStatus,
  OriginClass,
  WorkspacePaths,
} from './host/api.ts';
import { failureOf } from './tools.ts';
import { operatorTurn } from './host/turn.ts';

/** How long the host waits for a search or a status. */
const DEADLINE_MS = 10_000;

/** Makes Loci answer where the host itself uses memory: `memory.search`, doctor, status, and the files of the prompt. */
export function memoryRuntime(memory: GatewayMemory): MemoryCapability['runtime'] {
  return {
    supportsWorkspaceMemoryReadSources: true,
    async getMemorySearchManager({ agentId }) {
      try {
        const modules = await answerWithin(memory.open(), DEADLINE_MS);
        const status = await answerWithin(statusOf(modules, agentId, memory), DEADLINE_MS);
        return { manager: managerOf(modules, agentId, status) };
      } catch (error) {
        const { message, action } = failureOf(error);
        return { manager: null, error: `${message} ${action}` };
      }
    },
    // The host's doctor would warn that its own embedding provider has no key, unless this answers nothing, against its type.
    resolveMemoryBackendConfig: () => null as never,
    classifyWorkspaceMemoryPaths: (request) =>
      Promise.all(
        request.relativePaths.map(async (relativePath) => ({
          relativePath,
          originClass: await originOf(relativePath, request),
        })),
      ),
    // The engine stays open until the service stops.
    closeAllMemorySearchManagers: () => Promise.resolve(),
  };
}

async function statusOf(
  { engine }: EngineModules,
  agentId: string,
  memory: GatewayMemory,
): Promise<MemoryStatus> {
  const namespace = engine.namespaceOf(agentId);
  const { shared } = engine.grant(operatorTurn(agentId));
  const statuses = await Promise.all([namespace, ...shared].map((each) => engine.status(each)));
  const sum = (count: (status: (typeof statuses)[number]) => number): number =>
    statuses.reduce((total, status) => total + count(status), 0);
  const hasModel = engine.config.embedding.provider !== 'none';
  return {
    backend: 'builtin',
    provider: 'loci',
    files: sum(({ records }) => records),
    chunks: sum(({ passages }) => passages),
    workspaceDir: memory.workspaceOf(agentId),
    dbPath: statuses[0]!.store.path,
    fts: { enabled: true, available: true },
    vector: { enabled: hasModel, available: hasModel },
    custom: { engine: 'loci', home: engine.home, namespace, shared },
  };
}

function managerOf({ engine, tools }: EngineModules, agentId: string, status: MemoryStatus): MemoryManager {
  const turn = operatorTurn(agentId);
  const hasModel = engine.config.embedding.provider !== 'none';
  return {
    async search(query, { maxResults, minScore, signal } = {}) {
      const input = {
        query,
        ...(maxResults !== undefined && { maxResults: Math.min(Math.max(1, Math.trunc(maxResults)), 50) }),
        ...(minScore !== undefined && { minScore: Math.min(Math.max(0, minScore), 1) }),
      };
      const call = { turn, ...(signal !== undefined && { signal }) };
      const { results } = await answerWithin(tools.searchMemory(engine, input, call), DEADLINE_MS);
      return [...results];
    },
    readFile: ({ relPath, from, lines }) =>
      answerWithin(
        tools.readMemory(
          engine,
          { path: relPath, ...(from !== undefined && { from }), ...(lines !== undefined && { lines }) },
          { turn },
        ),
        DEADLINE_MS,
      ),
    status: () => status,
    sync: () => engine.workspaces.refresh(agentId),
    probeEmbeddingAvailability: () =>
      Promise.resolve(hasModel ? { ok: true } : { ok: false, error: 'embedding.provider is none' }),
    probeVectorAvailability: () => Promise.resolve(hasModel),
  };
}

const CURATED_FILES: ReadonlySet<string> = new Set(['MEMORY.md', 'memory.md', 'USER.md']);
/** What the host knows of one person. It is in the prompt of that person's sessions alone, so that it is not indexed. */
const PERSONAL_FILE = /^users\/[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}\/USER\.md$/;
const GENERATED_FILES: ReadonlySet<string> = new Set(['DREAMS.md', 'dreams.md']);

/**
 * Who is responsible for a memory file of a workspace, by the rules of memory-core. The host takes only trusted files into the
 * prompt, so that a file outside the workspace is `untrusted`.
 */
async function originOf(relativePath: string, request: WorkspacePaths): Promise<OriginClass> {
  const path = await canonicalPath(relativePath, request);
  if (path === null) return 'untrusted';
  const [first = '', second = ''] = path.split('/');
  const isAtTop = path === first;
  if ((isAtTop && CURATED_FILES.has(first)) || PERSONAL_FILE.test(path)) return 'agent';
  if (isAtTop && GENERATED_FILES.has(first)) return 'system';
  if (first !== 'memory') return 'untrusted';
  if (second === 'dreaming' || second === '.dreams') return 'system';
  return path.endsWith('.md') ? 'agent' : 'untrusted';
}

/** The path of the real file in the workspace, with `/`; `null` if the file is missing or outside. */
async function canonicalPath(
  relativePath: string,
  { workspaceDir, readSources }: WorkspacePaths,
): Promise<string | null> {
  if (readSources !== undefined) {
    const canonical = readSources.find((each) => each.relativePath === relativePath)?.canonicalRelativePath;
    return canonical === undefined || !isBelow(canonical) || canonical.includes('\\') ? null : canonical;
  }
  try {
    const [root, file] = await Promise.all([
      realpath(workspaceDir),
      realpath(resolve(workspaceDir, relativePath)),
    ]);
    const path = relative(root, file).replaceAll(sep, '/');
    return isBelow(path) ? path : null;
  } catch {
    return null;
  }
}

function isBelow(path: string): boolean {
  return (
    path !== '' &&
    !isAbsolute(path) &&
    !path.includes('\0') &&
    !path.split('/').some((step) => step === '..' || step === '.' || step === '')
  );
}
