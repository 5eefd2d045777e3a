import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { parseJson } from '../../core/json.ts';
import { exportSchema, type ExportedGraph } from '../../graph/export-schema.ts';

/** The export in a file. @throws LociError `unreadable`; `invalid_input` for a file that is no export of a graph */
export async function readExport(given: string): Promise<ExportedGraph> {
  const path = resolve(expandHome(given));
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new LociError('unreadable', `${path}: ${describeFileError(error)}`);
  }
  const parsed = exportSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw new LociError('invalid_input', `${path} is no export of a graph${where}`, {
    hint: '`loci graph export > FILE` writes one.',
  });
}
