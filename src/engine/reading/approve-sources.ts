import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sourceStateChange, sourceStates } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { changesSince, parseApproval, serializeApproval } from './approval/approval-record.ts';
import {
  approvalDetails,
  formatCommand,
  resolveCommand,
  type ResolvedCommand,
  unwatched,
} from './approval/approval.ts';
import { missingProgramError } from './approval/watched-files.ts';
import { configuredSources, requireSource } from './configured/configured-sources.ts';
import { type approveSourcesInput, FINGERPRINT_LENGTH, type SourcesApproveOutput } from './source-schemas.ts';

/**
 * Allows exactly the commands of these sources to run. Only the operator may call it. If one of them does not exist or cannot run, none
 * is approved.
 * @throws LociError `not_found`; `conflict` when its fingerprint is another; `invalid_config` for a missing program
 */
export async function approveSources(
  context: EngineContext,
  { ids, fingerprint }: z.infer<typeof approveSourcesInput>,
): Promise<SourcesApproveOutput> {
  const distinctIds = [...new Set(ids)];
  if (fingerprint !== undefined && distinctIds.length > 1)
    throw new LociError('invalid_input', 'a fingerprint belongs to one source, but several were named', {
      hint: 'Approve them one at a time.',
    });
  const commands = await Promise.all(distinctIds.map((id) => approvable(context, id, fingerprint)));
  const approved: SourcesApproveOutput['approved'] = [];
  for (const [i, id] of distinctIds.entries()) approved.push(await approve(context, id, commands[i]!));
  return { approved };
}

/** The command as it would run now. The program that PATH finds is meant, even if an earlier approval was of another. */
async function approvable(
  context: EngineContext,
  id: string,
  fingerprint: string | undefined,
): Promise<ResolvedCommand> {
  const source = requireSource(await configuredSources(context), id);
  if (source.kind === 'conversations')
    throw new LociError('conflict', `${id} needs no approval: it runs no command`);
  if (source.kind === 'code')
    throw new LociError('conflict', `${id} needs no approval: the program that uses Loci has registered it`);
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
  return command;
}

/** Allows exactly this command to run. */
async function approve(
  context: EngineContext,
  id: string,
  command: ResolvedCommand,
): Promise<SourcesApproveOutput['approved'][number]> {
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
