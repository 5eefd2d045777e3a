// Writes web/src/api/schema.d.ts, the types of requests and answers, from the OpenAPI document of the server:
// `node scripts/web-types.ts`. `npm run types` runs it, so that a changed operation fails the check of the page.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTs, { astToString } from 'openapi-typescript';
import { OPERATIONS } from '../src/operations/registry.ts';
import { openApi } from '../src/surfaces/rest/openapi.ts';
import { routesOf } from '../src/surfaces/rest/request-input.ts';

const document = openApi(await routesOf(OPERATIONS));
const nodes = await openapiTs(JSON.stringify(document), { rootTypes: true, rootTypesNoSchemaPrefix: true });
const file = new URL('../web/src/api/schema.d.ts', import.meta.url);
const text = astToString(nodes);
// A file that is as it was stays as old as it was, so that nothing is built again.
if (readIfExists(file) !== text) writeFileSync(file, text);

function readIfExists(path: URL): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
