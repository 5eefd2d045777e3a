// Writes docs/graph.schema.json from src/graph/export-schema.ts: `node scripts/graph-schema.ts`. A test checks that the file is
// up to date.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { format } from 'prettier';
import { EXPORT_VERSION, exportSchema } from '../src/graph/export-schema.ts';

export function renderGraphSchema(): Promise<string> {
  const schema = {
    ...z.toJSONSchema(exportSchema),
    title: `Graph of Loci, version ${String(EXPORT_VERSION)}`,
  };
  return format(JSON.stringify(schema), { parser: 'json', printWidth: 110 });
}

if (import.meta.main)
  writeFileSync(new URL('../docs/graph.schema.json', import.meta.url), await renderGraphSchema());
