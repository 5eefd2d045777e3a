import { LociError } from '../../core/errors.ts';
import { assertNotAborted, pickSignal } from '../../core/progress.ts';
import type { ConversationWriter } from '../../ingest/conversation-records.ts';
import { CONVERSATION_PROGRAMS, type ReportProblem } from '../../sources/conversation.ts';
import { conversationReader } from '../../sources/registry.ts';
import { sourceStateChange } from '../../store/items/kinds.ts';
import type { Fence } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';
import { sourcesOfNamespace } from '../reading/configured/source-policies.ts';
import { vaultName } from '../reading/configured/vault-names.ts';
import { leaseName } from '../reading/refresh/refresh.ts';
import { conversationWriter } from '../reading/refresh/refresh-conversations.ts';
import { withLease } from '../shared/lease.ts';
import type { ItemImport } from './item-type.ts';

const HINT =
  'Conversations are read from exports of ChatGPT and Claude (ZIP, folder or conversations.json) and from transcripts of Claude Code and ' +
  'Codex. The folder of an OpenClaw agent has MEMORY.md, USER.md, memory/*.md, SOUL.md, IDENTITY.md or AGENTS.md.';

/**
 * Imports conversations with ChatGPT, Claude, Claude Code and Codex from a file or a folder, as documents of the source of each
 * program. Conversations that are here are continued: an export is no mirror, and nothing is removed that it lacks.
 * @throws LociError `invalid_input` for a file or folder without conversations; `forbidden` for an agent; `conflict` when a source of
 *   another kind has the name of the program; `unreadable`, `aborted`
 */
export async function importConversations(job: ItemImport, path: string): Promise<void> {
  const { context, options, report: output } = job;
  if (context.caller.trust !== 'operator')
    throw new LociError('forbidden', 'only the operator may import conversations');
  const { vaults, sources } = await sourcesOfNamespace(context);
  const others = new Set([...vaults.map(vaultName), ...sources.map(({ id }) => id)]);
  const report: ReportProblem = (problem) => output.add('problems', problem);
  const { conversationFiles, conversationsOf } = await conversationReader();
  const writers = new Map<string, ConversationWriter>();
  let done = 0;
  await withLeases(job, Object.keys(CONVERSATION_PROGRAMS), async (fences) => {
    for await (const file of conversationFiles(path, report))
      for await (const conversation of conversationsOf(file, report)) {
        assertNotAborted(options);
        const source = conversation.program;
        // The records of a vault or a command would be taken for conversations.
        if (others.has(source)) throw nameTaken(source);
        const fence = fences.get(source) ?? null;
        const onMasked = output.addMasked.bind(output);
        const writer =
          writers.get(source) ??
          (await conversationWriter(context, { source, fence, report, onMasked, ...pickSignal(options) }));
        writers.set(source, writer);
        await writer.add(conversation);
        options.onProgress?.({ stage: 'reading', subject: file.key, done: ++done, total: 0 });
      }
    for (const [source, writer] of writers)
      await writer.flush([sourceStateChange(source, { readAt: context.now() })]);
  });
  const [first] = output.output.problems;
  if (writers.size === 0) {
    const why = first === undefined ? '' : ` (${first.location}: ${first.message})`;
    const message = `${path} is neither an export of Loci nor has it conversations${why}`;
    throw new LociError('invalid_input', message, { hint: HINT });
  }
  const { records, conversations } = output.output;
  for (const [source, { counts }] of writers) {
    const { added, updated, unchanged, removed, ...read } = counts;
    conversations.push({ source, ...read });
    records.added += added;
    records.updated += updated;
    records.unchanged += unchanged;
    records.removed += removed;
  }
  const shared = new Set(
    context.config.sources.flatMap(({ id, includeInContext }) => (includeInContext === true ? id : [])),
  );
  output.output.private = [...writers.keys()].filter((source) => !shared.has(source));
}

/** Does work under the leases of sources; without them in a dry run, which writes nothing. */
async function withLeases(
  { context, options }: { readonly context: EngineContext; readonly options: ItemImport['options'] },
  [source, ...others]: readonly string[],
  work: (fences: Map<string, Fence>) => Promise<void>,
): Promise<void> {
  if (source === undefined || options.dry_run) return work(new Map());
  const withOthers = (fence: Fence): Promise<void> =>
    withLeases({ context, options }, others, (fences) => work(fences.set(source, fence)));
  await withLease(context, leaseName(context, source), withOthers, { wait: true, ...pickSignal(options) });
}

function nameTaken(source: string): LociError {
  const message = `another source or vault is called ${source}, which is the name of what is imported`;
  return new LociError('conflict', message, { hint: 'Give the other one another name in loci.yaml.' });
}
