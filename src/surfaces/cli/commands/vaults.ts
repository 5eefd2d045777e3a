import { formatCount } from '../../../core/text/format-count.ts';
import { LociError } from '../../../core/errors.ts';
import type { ReindexOutput } from '../../../engine/health/reindex.ts';
import type { IndexedVault, IndexOutput } from '../../../operations/nouns/index-notes.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { ALL_PROBLEMS, problemLines } from '../format/lists.ts';
import { countsText, refusalWarnings } from '../format/phrases.ts';
import { durationText } from '../format/times.ts';
import type { OperationCommand, View } from './operation-command.ts';

export const index: OperationCommand<IndexOutput> = {
  operands: [{ field: 'paths', label: 'path', takes: 'list' }],
  negatable: ['wait'],
  viewOptions: [{ ...ALL_PROBLEMS, description: 'list every problem, and all that was excluded' }],
  warnings: (output) => [...output.notes, ...refusalWarnings(output)],
  failure: ({ error }) =>
    error === undefined ? null : new LociError(error.code, error.message, { hint: error.hint }),
  render: (output, view) => {
    const { vaults, problems, embedded, took_ms, configured } = output;
    const embeddings = embedded === 0 ? '' : `, ${formatCount(embedded, 'text')} embedded`;
    return [
      ...problemLines(problems, view),
      ...vaults.flatMap((vault) => [
        vaultLine(vault, view),
        ...otherFilesLines(vault, view),
        ...excludedLines(vault, view),
        ...problemLines(vault.problems, view, vault.name),
      ]),
      view.style.dim(`Done in ${durationText(took_ms / 1000)}${embeddings}.`),
      ...pendingLines(output),
      ...configured.map(
        (name) => `Added ${oneLine(name)} to the settings: \`loci index\` updates it from now on.`,
      ),
      '',
    ].join('\n');
  },
};

function vaultLine(vault: IndexedVault, { style }: View): string {
  const counts = countsText([
    [vault.added, 'added'],
    [vault.updated, 'updated'],
    [vault.renamed, 'renamed'],
    [vault.removed, 'removed'],
    [vault.unchanged, 'unchanged'],
  ]);
  return `${style.bold(oneLine(vault.name))} ${style.dim(`(${oneLine(vault.path)})`)}: ${[formatCount(vault.seen, 'note'), ...counts].join(', ')}`;
}

const MAX_ENDINGS = 8;

/** `Not read: 12 .pdf, 3 .base and 4 others`. */
function otherFilesLines({ other_files: others }: IndexedVault, { style }: View): string[] {
  if (others.length === 0) return [];
  const named = others.filter(({ ending }) => ending !== '').slice(0, MAX_ENDINGS);
  const rest = sum(others) - sum(named);
  const parts = [
    ...named.map(({ ending, files }) => `${String(files)} ${oneLine(ending)}`),
    ...(rest === 0 ? [] : [formatCount(rest, named.length === 0 ? 'file' : 'other file')]),
  ];
  return [style.dim(`  Not read, because of the format: ${parts.join(', ')}.`)];
}

/** `Excluded: 1 folder and 3 notes`, or each of them with its rule. */
function excludedLines({ excluded }: IndexedVault, { style, options }: View): string[] {
  if (excluded.length === 0) return [];
  if (options.has('verbose')) {
    return excluded.flatMap(({ rule, from, paths }) => [
      style.dim(`  Excluded by ${oneLine(rule)} in ${oneLine(from)}:`),
      ...paths.map((path) => style.dim(`    ${oneLine(path)}`)),
    ]);
  }
  const paths = excluded.flatMap((each) => each.paths);
  const folders = paths.filter((path) => path.endsWith('/')).length;
  const counts = countsText([
    [folders, folders === 1 ? 'folder' : 'folders'],
    [paths.length - folders, paths.length - folders === 1 ? 'note' : 'notes'],
  ]);
  return [style.dim(`  Excluded: ${counts.join(', ')}; --verbose names them.`)];
}

function sum(files: IndexedVault['other_files']): number {
  return files.reduce((total, { files: count }) => total + count, 0);
}

function pendingLines({ pending, embedded_by: process, unrelated, related_by }: IndexOutput): string[] {
  if (pending === 0) {
    if (related_by === null) return [];
    const records = formatCount(unrelated, 'record');
    return [
      `Search works now; ${related_by} relates ${records} for the graph: \`loci status\` shows how far it is.`,
    ];
  }
  const texts = formatCount(pending, 'text');
  return process === null
    ? [`Search finds words now; ${texts} are not embedded: run \`loci index\`.`]
    : [`Search finds words now; ${process} embeds ${texts}: \`loci status\` shows how far it is.`];
}

export const reindex: OperationCommand<ReindexOutput> = {
  viewOptions: [ALL_PROBLEMS],
  warnings: refusalWarnings,
  render: ({ records, problems, embedded, took_ms }, view) =>
    [
      ...problemLines(problems, view),
      `Rebuilt ${formatCount(records, 'record')}, embedded ${formatCount(embedded, 'text')}, in ${durationText(took_ms / 1000)}.`,
      '',
    ].join('\n'),
};
