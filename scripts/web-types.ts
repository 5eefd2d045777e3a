// Writes web/src/api/schema.d.ts, the types of requests and answers, from the OpenAPI document of the server:
// `node scripts/web-types.ts`. The build and `npm run types` run it, so that a changed operation fails the check of the page.
import { writeFileSync } from 'node:fs';
import openapiTs, { astToString } from 'openapi-typescript';
import { OPERATIONS } from '../src/operations/registry.ts';
import { openApi } from '../src/surfaces/rest/openapi.ts';
import { routesOf } from '../src/surfaces/rest/routes.ts';

const document = openApi(await routesOf(OPERATIONS));
const nodes = await openapiTs(JSON.stringify(document), { rootTypes: true, rootTypesNoSchemaPrefix: true });
writeFileSync(new URL('../web/src/api/schema.d.ts', import.meta.url), astToString(nodes));
