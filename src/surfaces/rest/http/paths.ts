import { escapeControlJson } from '../../shared/escape-control.ts';

/** The path prefix of the operations. */
export const API = '/api/v1';

/** The path of an operation, by the name of its tool: `memory_search` is at `/api/v1/memory/search`. */
export function pathOfTool(tool: string): string {
  return `${API}/${tool.replace('_', '/')}`;
}

/** The tools that commands in hints run, with the bodies of their requests. Other commands exist only on the machine of Loci. */
const REQUEST_BY_COMMAND: Readonly<
  Record<string, (operand: string) => readonly [tool: string, body?: object]>
> = {
  doctor: () => ['doctor'],
  'embed backfill': () => ['embed_backfill'],
  'embed test': () => ['embed_test'],
  'doctor reindex': (option) => (option === '--vectors' ? ['reindex', { vectors: true }] : ['reindex']),
  'sources refresh': (id) => ['sources_refresh', { ids: [id] }],
  'sources resume': (id) => ['sources_resume', { id }],
};

/**
 * Replaces names of tools and commands in backticks by requests: `memory_undelete 12` → `POST /api/v1/memory/undelete
 * {"id":12}`, and `loci doctor` → `POST /api/v1/doctor`.
 */
export function withRequests(text: string): string {
  return text
    .replaceAll(/`((?:memory|startup)_[a-z]+)(?: (\d+))?`/g, (_, tool: string, id?: string) =>
      requestText(tool, id === undefined ? undefined : { id: Number(id) }),
    )
    .replaceAll(
      /`loci ((?:doctor |embed |sources )?[a-z]+)(?: ([^`]+))?`/g,
      (whole, command: string, operand = '') => {
        if (!Object.hasOwn(REQUEST_BY_COMMAND, command)) return whole;
        // Names with spaces are in quotes, as a shell needs them.
        const request = REQUEST_BY_COMMAND[command]?.(String(operand).replaceAll(/^"|"$/g, ''));
        return request === undefined ? whole : requestText(...request);
      },
    );
}

function requestText(tool: string, body?: object): string {
  return `\`POST ${pathOfTool(tool)}${body === undefined ? '' : ` ${JSON.stringify(body)}`}\``;
}

/** Operations whose outputs have hints. Fields of these names in other outputs may be anybody's texts. */
const OPERATIONS_WITH_HINTS: ReadonlySet<string> = new Set(['doctor', 'fact-categories', 'sources-refresh']);

/** The output of an operation as JSON, with requests in its hints. Invisible characters are escaped: a model may read the bytes. */
export function outputJson(operation: string, output: unknown): string {
  const hasHints = OPERATIONS_WITH_HINTS.has(operation);
  const json = JSON.stringify(output, (field, value: unknown) =>
    hasHints && (field === 'hint' || field === 'note') && typeof value === 'string'
      ? withRequests(value)
      : value,
  );
  return escapeControlJson(json);
}
