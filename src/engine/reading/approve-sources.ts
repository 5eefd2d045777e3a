import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sourceStateChange, sourceStates } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { changesSince, parseApproval, serializeApproval } from './approval/approval-record.ts';
import { approvalDetails, formatCommand, resolveCommand, unwatched } from './approval/approval.ts';
import { missingProgramError } from './approval/watched-files.ts';
import { configuredSources, requireSource, unknownSourceError } from './configured/configured-sources.ts';
import { sourceReports, type SourceReport } from './reports.ts';
import { type approveSourcesInput, FINGERPRINT_LENGTH, type SourcesApproveOutput } from './source-schemas.ts';

/** If one of several sources does not exist or cannot run, none is approved. @throws LociError as `approveSource` does */
export async function approveSources(
  context: EngineContext,
  { ids, fingerprint }: z.infer<typeof approveSourcesInput>,
): Promise<SourcesApproveOutput> {
  const distinctIds = [...new Set(ids)];
  if (fingerprint !== undefined && distinctIds.length > 1)
    throw new LociError('invalid_input', 'a fingerprint belongs to one source, but several were named', {
      hint: 'Approve them one at a time.',
    });
  if (distinctIds.length > 1) assertRunnable(await sourceReports(context), distinctIds);
  const approved: SourcesApproveOutput['approved'] = [];
  for (const id of distinctIds) approved.push(await approveSource(context, id, fingerprint));
  return { approved };
}

/** Checks all sources before the first is approved. @throws LociError `not_found`, `invalid_config` */
function assertRunnable(reports: readonly SourceReport[], ids: readonly string[]): void {
  const commands = reports.filter(
    ({ kind, condition }) => kind !== 'vault' && !['gone', 'set elsewhere'].includes(condition),
  );
  for (const id of ids) {
    const report = commands.find((each) => each.id === id);
    if (report === undefined)
      throw unknownSourceError(
        id,
        commands.map((each) => each.id),
      );
    if ((report.command?.program ?? null) === null)
      throw new LociError(
        'invalid_config',
        `${id}: ${report.error ?? 'there is no such program'}; nothing was approved`,
        { ...(report.hint !== null && { hint: report.hint }) },
      );
  }
}

/**
 * Allows exactly this command to run. Only the operator may call it.
 * @throws LociError `not_found`; `conflict` when its fingerprint is another; `invalid_config` for a missing program
 */
export async function approveSource(
  context: EngineContext,
  id: string,
  fingerprint?: string,
): Promise<SourcesApproveOutput['approved'][number]> {
  const source = requireSource(await configuredSources(context), id);
  if (source.kind === 'code')
    throw new LociError('conflict', `${id} needs no approval: the program that uses Loci has registered it`);
  // The program that PATH finds now is approved, even if an earlier approval was of another.
  const command = await resolveCommand(source, null);
  if (command.program === null) throw await missingProgramError(command.argv[0] ?? '', command.cwd);
  if (fingerprint !== undefined && !command.fingerprint.startsWith(fingerprint))
    throw new LociError(
      'conflict',
      `${id} has changed since its fingerprint was shown: it is ${command.fingerprint.slice(0, 12)} now`,
      {
        hint: `\`loci sources show ${id}\` shows what would run now.`,
      },
    );
  const { store, namespace, now, caller } = context;
  const before = parseApproval((await sourceStates(store.records, namespace)).get(id));
  const details = await approvalDetails(context, command);
  await store.records.commit(namespace, {
    items: [
      sourceStateChange(id, {
        approval: serializeApproval(command.fingerprint, details),
        approvedAt: now(),
        approvedBy: caller.actor,
        // The source is due at once.
        nextAt: null,
      }),
    ],
  });
  const isSame = before === null || before.fingerprint === command.fingerprint;
  const { text, isRisk } = unwatched(command);
  return {
    id,
    command: formatCommand(command.argv),
    cwd: command.cwd,
    fingerprint: command.fingerprint.slice(0, FINGERPRINT_LENGTH),
    changes: isSame ? [] : changesSince(before, details),
    shell: command.shell,
    watched: command.files.filter(({ state }) => !state.startsWith('system')).map(({ path }) => path),
    not_watched: text,
    not_watched_risk: isRisk,
  };
}
