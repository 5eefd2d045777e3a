import { API } from './http/paths.ts';
import type { Route } from './routes.ts';

/** The paths of the text that says what the server has. They need no token, because the text is the same for every memory. */
export const OVERVIEW_PATHS: readonly string[] = ['/', '/docs', API];

/** What the server has, for people who open its address. */
export function overview(routes: readonly Route[], hasMcp: boolean): string {
  const width = Math.max(...routes.map(({ path }) => path.length));
  return [
    'Loci: memory for AI agents',
    '',
    'Requests need a token: `Authorization: Bearer TOKEN`. `loci token create --subject NAME` makes one.',
    '',
    `${API}/openapi.json  the fields of every operation, in OpenAPI 3.1`,
    ...(hasMcp ? ['/mcp  the Model Context Protocol over HTTP'] : []),
    '/healthz, /readyz  whether the server runs, and whether it answers (no token)',
    '/metrics  figures for Prometheus',
    '',
    '`POST` takes a JSON object of fields; what changes nothing also accepts `GET` with a query.',
    '',
    ...routes.map(({ path, operation: { readOnly, scope, title } }) =>
      [readOnly ? 'GET, POST' : 'POST     ', path.padEnd(width), scope.padEnd(5), title].join('  '),
    ),
    '',
  ].join('\n');
}
