import { LociError } from '../../../core/errors.ts';
import type { RefreshEvent } from '../../../engine/reading/refresh-scheduler.ts';
import { hasSources } from '../../../engine/reading/configured/configured-sources.ts';
import type { SourcesListOutput } from '../../../engine/reading/source-schemas.ts';
import { keepFresh } from '../../../engine/reading/sources.ts';
import { createContext, type OpenContext } from '../../../operations/context.ts';
import { sourceOperations } from '../../../operations/nouns/sources.ts';
import { runOperation } from '../../../operations/run.ts';
import { isTerminal, outputColumns, type Io } from '../../shared/io.ts';
import type { RunStandalone } from '../../shared/run-standalone.ts';
import { waitForStop } from '../../shared/stop-signals.ts';
import { printWarning } from '../format/print-warning.ts';
import { hasColours, makeStyle } from '../format/style.ts';
import type { View } from '../commands/operation-command.ts';
import { sourcesList } from '../commands/sources/list.ts';
import { eventJson, eventLine, jsonLine } from './watch-lines.ts';

/**
 * `loci sources watch`: refreshes vaults and sources, and prints a line for each refresh, until it receives a signal or its output is
 * closed; a second signal stops at once.
 */
export const watch: RunStandalone = async ({ home, json }, io, { answerCommands }) => {
  const caller = { surface: 'cli', trust: 'operator' } as const;
  const onWarning = (message: string): void => printWarning(message, io);
  const context = createContext({ caller, env: io.env, onWarning, ...(home !== undefined && { home }) });
  try {
    await assertSomethingToRefresh(context);
    const loci = await context.loci({ create: true });
    const listed = await runOperation(sourceOperations['sources-list'], context, {});
    const stopAnswering = await answerCommands(context);
    if (json) io.stdout.write(`${jsonLine('watching', { sources: listed.sources })}\n`);
    else printSources(listed, io);
    const style = makeStyle(hasColours(io.stdout, io.env));
    const onEvent = (event: RefreshEvent): void => {
      const line = json ? eventJson(event) : eventLine(event, style);
      if (line !== null) io.stdout.write(`${line}\n`);
    };
    const scheduler = keepFresh(loci, { newVaults: true, onEvent });
    await waitForStop(io.stdout);
    stopAnswering();
    await scheduler.close();
    return 0;
  } finally {
    await context.close();
  }
};

/** @throws LociError `invalid_config` when there is no vault, source or skill */
async function assertSomethingToRefresh(context: OpenContext): Promise<void> {
  const { values } = await context.loadConfig();
  if (values.vaults.length > 0 || (await hasSources(values))) return;
  throw new LociError(
    'invalid_config',
    'there is nothing to refresh: loci.yaml names no vaults and no sources',
    { hint: '`loci index PATH` adds a vault; docs/sources.md explains how to add a command as a source.' },
  );
}

function printSources(listed: SourcesListOutput, { stderr, env }: Io): void {
  const view: View = {
    style: makeStyle(hasColours(stderr, env)),
    columns: outputColumns(stderr),
    terminal: isTerminal(stderr),
    options: new Set(),
  };
  stderr.write(
    `Loci refreshes these vaults and sources. Press Ctrl-C to stop.\n${sourcesList.render(listed, view)}`,
  );
}
