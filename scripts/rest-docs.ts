// Writes the list of operations in docs/rest.md: `node scripts/rest-docs.ts`. A test checks that it is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { OPERATIONS } from '../src/operations/registry.ts';
import { routesOf } from '../src/surfaces/rest/request-input.ts';

const PAGE = new URL('../docs/rest.md', import.meta.url);
const [BEGIN, END] = ['<!-- operations -->\n', '<!-- /operations -->'];

/** The text of docs/rest.md, with the current list. */
export async function renderRestDocs(): Promise<string> {
  const routes = await routesOf(OPERATIONS);
  const lines = routes.map(({ path, onPage, operation: { kind, scope, title } }) => {
    const methods = kind === 'read' ? '`POST`, `GET`' : '`POST`';
    const callers = onPage ? 'only the page of the owner' : `scope \`${scope}\``;
    return `- ${methods} \`${path}\` (${callers}): ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  });
  const page = readFileSync(PAGE, 'utf8');
  const [head = '', rest = ''] = page.split(BEGIN);
  const [, tail = ''] = rest.split(END);
  return `${head}${BEGIN}\n${lines.join('\n')}\n\n${END}${tail}`;
}

if (import.meta.main) writeFileSync(PAGE, await renderRestDocs());
