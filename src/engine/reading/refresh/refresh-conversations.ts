import { LociError } from '../../../core/errors.ts';
import { ConversationWriter, type ConversationOptions } from '../../../ingest/conversation-records.ts';
import type { ReportProblem } from '../../../sources/conversation.ts';
import { conversationReader } from '../../../sources/registry.ts';
import { MAX_PROBLEMS, sourceFilePut, sourceFiles } from '../../../store/items/kinds.ts';
import type { Fence, CommitBatch } from '../../../store/model.ts';
import type { EngineContext } from '../../context.ts';
import { chunkingOf } from '../../embedding/models.ts';
import { screenTexts } from '../../shared/screen.ts';
import type { ConversationFolder } from '../configured/configured-sources.ts';
import { conversationState } from '../configured/source-policies.ts';
import type { Refreshed } from '../source-schemas.ts';
import { type RefreshAttempt, truncatedProblem } from './refresh-attempt.ts';

type WriterOptions = Pick<ConversationOptions, 'source' | 'fence' | 'report' | 'onMasked'> & {
  readonly project?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Writes conversations into the namespace of the caller, with their secrets masked as those of what is written. */
export async function conversationWriter(
  context: EngineContext,
  { project = context.config.project, signal, ...options }: WriterOptions,
): Promise<ConversationWriter> {
  const { store, namespace, config, now } = context;
  return ConversationWriter.open(store, {
    ...options,
    ...(signal !== undefined && { signal }),
    ...{ namespace, project, now },
    items: [conversationState(context, options.source)],
    chunking: await chunkingOf(context),
    screenedBy: `${config.writes.secrets} ${String(config.writes.maskPersonal)}`,
    screen: async (texts) => {
      const masked = new Set<string>();
      const screened: string[] = [];
      // Each by itself: a message may be as long as the content of a record.
      for (const text of texts) {
        const { texts: result, masked: kinds } = await screenTexts(context, { content: text });
        screened.push(result.content);
        for (const kind of kinds) masked.add(kind);
      }
      return { texts: screened, masked: [...masked] };
    },
  });
}

/** How many files are read before what they have is written. */
const FILES_PER_COMMIT = 100;

/**
 * Reads the files of a folder that have changed, and adds their conversations. A file that is gone takes nothing with it: programs remove
 * old transcripts.
 * @throws LociError `unreadable` if the folder cannot be read; `aborted`; `conflict` when another process has taken over
 */
export async function refreshConversations(
  context: EngineContext,
  { id: source, path, settings }: ConversationFolder,
  attempt: RefreshAttempt,
  fence: Fence,
  signal: AbortSignal,
): Promise<Refreshed> {
  const { store, namespace, now } = context;
  const problems: string[] = [];
  let ofFile: string[] = problems;
  const report: ReportProblem = ({ location, message }) =>
    void ofFile.push(truncatedProblem(`${location}: ${message}`));
  try {
    const { conversationFiles, conversationsOf } = await conversationReader();
    const known = await sourceFiles(store.records, namespace, source);
    const writer = await conversationWriter(context, {
      ...{ source, fence, report, signal, project: settings.project },
      onMasked: () => undefined,
    });
    let items: NonNullable<CommitBatch['items']>[number][] = [];
    const flush = async (): Promise<void> => {
      const read = items;
      items = [];
      await writer.flush(read);
    };
    for await (const file of conversationFiles(path, report)) {
      if (signal.aborted) throw new LociError('aborted', `reading ${source} was stopped`);
      const before = known.get(file.key);
      ofFile = before?.revision === file.revision ? [...before.problems] : [];
      if (before?.revision !== file.revision) {
        for await (const conversation of conversationsOf(file, report)) await writer.add(conversation);
        items.push(
          sourceFilePut(source, now(), { path: file.key, revision: file.revision, problems: ofFile }),
        );
      }
      problems.push(...ofFile.splice(0, MAX_PROBLEMS));
      ofFile = problems;
      if (items.length >= FILES_PER_COMMIT) await flush();
    }
    await flush();
    await attempt.record(attempt.success(problems));
    const { added, updated, unchanged, removed } = writer.counts;
    return { added, updated, unchanged, removed, over_cap: 0, kept: 0, problems, took_ms: attempt.tookMs };
  } catch (error) {
    if (signal.reason instanceof LociError) throw signal.reason;
    if (error instanceof LociError && error.code === 'unreadable') await attempt.recordFailure(error.message);
    throw error;
  }
}
