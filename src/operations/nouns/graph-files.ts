import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { replaceFile } from '../../core/fs/files.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { inThread } from '../../graph/layout/layout-thread.ts';
import { type ViewerGraph, viewExport } from '../../graph/viewer/viewer-graph.ts';
import { operation, withNames } from '../operation.ts';
import { exportedEdge, exportedNode, type ExportedGraph, exportSchema } from '../../graph/export-schema.ts';
import { parseJson } from '../../core/json.ts';

const graphViewInput = z.strictObject({
  graph: localPath().describe('A file that `graph export` has written.'),
  diff: localPath().exactOptional().describe('An earlier one, with which it is compared.'),
  output: localPath()
    .exactOptional()
    .describe(
      'The page to write. The default is beside the export, with the same name and the ending `.html`.',
    ),
  force: z.boolean().exactOptional().describe('Replace a file that is no such page.'),
});

const graphViewOutput = z.strictObject({
  file: z.string().describe('The page.'),
  nodes: z.number().int().nonnegative(),
  edges: z.number().int().nonnegative(),
});
export type GraphViewOutput = z.infer<typeof graphViewOutput>;

const graphDiffInput = z.strictObject({
  before: localPath().describe('A file that `graph export` has written.'),
  after: localPath().describe('A later one.'),
});

const differenceOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    added: z.array(item),
    removed: z.array(item),
    changed: z.array(
      z.strictObject({
        before: item,
        after: item,
        fields: z.array(z.string()).describe('The fields that differ.'),
      }),
    ),
  });

const graphDiffOutput = z.strictObject({
  nodes: differenceOf(exportedNode),
  edges: differenceOf(exportedEdge),
});
export type GraphDiffOutput = z.infer<typeof graphDiffOutput>;

export const graphFileOperations = withNames({
  'graph-diff': operation({
    description:
      'Names the nodes and edges that were added, removed or changed between two exports of the graph.',
    input: graphDiffInput,
    output: graphDiffOutput,
    kind: 'read',
    scope: 'read',
    local: true,
    examples: [{ title: 'What changed since', input: { before: '~/monday.json', after: '~/friday.json' } }],
    run: async (_context, { before, after }) => {
      const { diffGraphs } = await import('../../graph/viewer/viewer-graph.ts');
      const { nodes, edges } = diffGraphs(await readExport(before), await readExport(after));
      return graphDiffOutput.parse({ nodes, edges });
    },
  }),
  'graph-view': operation({
    description:
      'Makes one HTML file of an export of the graph, which opens from disk and can be given to somebody. It needs no network, and has all ' +
      'that the export has of its nodes and edges. With an earlier export, it shows what was added, removed and changed since.',
    input: graphViewInput,
    output: graphViewOutput,
    kind: 'read',
    scope: 'read',
    local: true,
    examples: [
      { title: 'A page beside the export', input: { graph: '~/friday.json' } },
      {
        title: 'What changed since',
        input: { graph: '~/friday.json', diff: '~/monday.json', output: '~/week.html' },
      },
    ],
    run: async ({ signal }, { graph: given, diff, output: to, force = false }) => {
      const source = resolve(expandHome(given));
      const file = to === undefined ? source.replace(/(?:\.json)?$/i, '.html') : resolve(expandHome(to));
      await assertReplaceable(
        file,
        [source, ...(diff === undefined ? [] : [resolve(expandHome(diff))])],
        force,
      );
      const [after, before] = [await readExport(given), diff === undefined ? null : await readExport(diff)];
      const thread = new TaskThread();
      let graph: ViewerGraph;
      try {
        graph = await viewExport(after, before, inThread(thread.ownedBy('graph-view'), signal));
      } finally {
        await thread.close();
      }
      const html = await pageOf({
        name: nameOf(source),
        before: diff === undefined ? null : nameOf(diff),
        graph,
      });
      await replaceFile(file, html, PAGE_MODE).catch((error: unknown) => {
        throw new LociError('unreadable', `${file}: ${describeFileError(error)}`);
      });
      return { file, nodes: graph.nodes.length, edges: graph.edges.length };
    },
  }),
});

/** It has what the notes say, like an export. */
const PAGE_MODE = 0o600;
/** How a page begins, by which one is known that may be replaced. */
const BEGINNING = '<!doctype html>\n<!-- made by `loci graph view` -->\n';

/** @throws LociError `conflict` for a file that is no such page, and for an export */
async function assertReplaceable(file: string, exports: readonly string[], force: boolean): Promise<void> {
  if (exports.includes(file))
    throw new LociError('conflict', `${file} is the export itself`, {
      hint: 'Name another file with --output.',
    });
  const beginning = await beginningOf(file);
  if (beginning === null || beginning === BEGINNING || force) return;
  throw new LociError('conflict', `${file} exists, and \`loci graph view\` did not make it`, {
    hint: '`--force` replaces it; `--output` names another file.',
  });
}

/** `null` if there is no such file. */
async function beginningOf(file: string): Promise<string | null> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING.length));
    return buffer.toString('latin1', 0, bytesRead);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw new LociError('unreadable', `${file}: ${describeFileError(error)}`);
  }
}

function nameOf(path: string): string {
  return basename(path, extname(path));
}

interface PageData {
  readonly name: string;
  readonly before: string | null;
  readonly graph: ViewerGraph;
}

/** The script and the style, which `npm run build` makes. */
const VIEWER: string = fileURLToPath(new URL('../../../dist/graph-file/', import.meta.url));

/**
 * One file without any request: its policy permits this script and this style only. The data are JSON in which no `<` occurs, so that
 * no title can end their element.
 */
async function pageOf(data: PageData): Promise<string> {
  const [script, style] = await Promise.all(['viewer.js', 'viewer.css'].map(readViewer));
  const policy = [
    "default-src 'none'",
    `script-src ${sourceHash(script!)}`,
    `style-src ${sourceHash(style!)}`,
    "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ];
  return (
    `${BEGINNING}<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">\n` +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
    '<meta name="referrer" content="no-referrer">\n' +
    `<title>${escapeHtml(data.name)}</title>\n<style>${style!}</style>\n</head>\n<body>\n<div id="app"></div>\n` +
    `<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>\n` +
    `<script>${script!}</script>\n</body>\n</html>\n`
  );
}

async function readViewer(name: string): Promise<string> {
  try {
    return await readFile(`${VIEWER}${name}`, 'utf8');
  } catch {
    throw new LociError('not_found', `this installation has no viewer: ${VIEWER}${name} is missing`, {
      hint: 'Install the package again; in a clone, run `npm run build`.',
    });
  }
}

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The export in a file. @throws LociError `unreadable`; `invalid_input` for a file that is no export of a graph */
async function readExport(given: string): Promise<ExportedGraph> {
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
