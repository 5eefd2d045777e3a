import { formatCount } from '../../../core/text/format-count.ts';
import { escapeControl } from '../../shared/escape-control.ts';
import { changeText, CORPUS_PLUGIN } from './config/changes.ts';
import type { IndexedWorkspace } from './index-memory.ts';
import type { Plan } from './plan.ts';

/** What a plan does, for `--json`. */
export function facts({ version, files, home, plugin, folder, isRunning }: Plan) {
  return {
    version,
    configFile: files.root,
    home,
    plugin,
    installs: folder !== null,
    gatewayRuns: isRunning,
    changes: files.changes.map(({ file, path, value }) => ({ file, key: path.join('.'), value })),
  };
}

function changeLines({ files }: Plan): string[] {
  return files.changes.map((change) => `  ${change.file}: ${changeText(change)}`);
}

export function dryRunText(plan: Plan, titles: readonly string[]): string {
  const lines = titles.map((title, at) => `  ${String(at + 1)}. ${title}`);
  const changes = plan.files.changes.length === 0 ? [] : ['These keys would change:', ...changeLines(plan)];
  return escapeControl(
    [`OpenClaw ${plan.version}. Nothing was changed. Setup would:`, ...lines, ...changes, ''].join('\n'),
  );
}

export function doneText(plan: Plan, indexed: readonly IndexedWorkspace[]): string {
  const { version, files, folder, home, plugin } = plan;
  const isBeside = plugin === CORPUS_PLUGIN;
  const installation = folder === null ? 'was installed already' : `is in ${folder}`;
  const lines = [
    isBeside
      ? `memory-core of OpenClaw ${version} now finds facts and runs of ${home} too, when an agent searches with corpus=all.`
      : `OpenClaw ${version} now remembers with Loci: memory_search answers from ${home}.`,
    `  The plugin ${plugin} ${isBeside ? 'is loaded from this package' : installation}.`,
    ...(files.changes.length === 0 ? ['  No key had to change.'] : changeLines(plan)),
    ...indexed.flatMap(({ agent, folder, files: count, problems }) => [
      `  ${agent}: ${formatCount(count, 'file')} of memory in ${folder}`,
      ...problems.map((problem) => `    ${problem}`),
    ]),
    '`loci openclaw undo` restores what was there before; `loci openclaw doctor` checks everything.',
    '',
  ];
  return escapeControl(lines.join('\n'));
}
