import { formatAge } from '../../core/time/age.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { Timestamp } from '../../core/types.ts';
import type { Check } from './check.ts';
import type { EngineContext } from '../context.ts';
import { sourceReports, type SourceReport } from '../reading/reports.ts';

/** One check for each command source. Vaults have separate checks. */
export async function checkSources(context: EngineContext): Promise<Check[]> {
  const reports = await sourceReports(context);
  // Only the operator may see the error output of a program.
  const isOwner = context.caller.trust === 'operator';
  return reports
    .filter(({ kind }) => kind !== 'vault')
    .map((report) => checkSource(isOwner ? report : { ...report, error: null, hint: null }, context.now()));
}

function checkSource(report: SourceReport, now: Timestamp): Check {
  const { id, condition, documents, state, error } = report;
  const readAt = state?.readAt ?? null;
  const read = readAt === null ? 'never read' : `read ${formatAge(readAt, now)}`;
  const detail = `${formatCount(documents, 'document')}, ${read}${error === null ? '' : `; ${error}`}`;
  const warning = (hint: string): Check => ({
    name: `source ${id}`,
    result: 'warning',
    detail: `${condition}: ${detail}`,
    hint,
    repair: repairOf(report),
  });
  switch (condition) {
    case 'fresh':
    case 'disabled': {
      const { repair: _, ...check } = warning('');
      return { ...check, result: 'ok', hint: null };
    }
    case 'paused':
      return { ...warning(`\`loci sources resume ${id}\` resumes automatic refreshes.`), result: 'ok' };
    case 'new':
    case 'stale':
      return warning(`Run \`loci sources refresh ${id}\`, or let \`loci sources watch\` keep it fresh.`);
    case 'failing':
      return warning(`\`loci sources test ${id}\` runs it once and shows what it prints.`);
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return warning(
        `\`loci sources show ${id}\` shows what would run; \`loci sources approve ${id}\` allows it.`,
      );
    case 'broken':
      return warning(
        report.hint ??
          (report.kind === 'skill'
            ? 'Correct the `memorySource` of its SKILL.md.'
            : 'Correct it in loci.yaml.'),
      );
    case 'set elsewhere':
      return { ...warning(''), result: 'ok', hint: report.hint };
    case 'gone':
      return warning(`Put it back into loci.yaml, or take its documents out: loci sources remove ${id}`);
  }
}

function repairOf({ id, condition }: SourceReport): NonNullable<Check['repair']> {
  if (condition === 'paused') return { operation: 'sources-resume', input: { id } };
  if (condition === 'new' || condition === 'stale')
    return { operation: 'sources-refresh', input: { ids: [id] } };
  return { operation: 'sources-show', input: { id } };
}
