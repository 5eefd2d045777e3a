import { LociError } from '../../../core/errors.ts';
import type { RefreshEvent } from '../../../engine/reading/refresh-scheduler.ts';
import { hasSources } from '../../../engine/reading/configured/configured-sources.ts';
import { type SourceReport, sourceReports } from '../../../engine/reading/reports.ts';
import { keepFresh } from '../../../engine/reading/sources.ts';
import { createContext, type OpenContext } from '../../../operations/context.ts';
import { outputColumns, type Io } from '../../shared/io.ts';
import type { RunStandalone } from '../../shared/run-standalone.ts';
import { waitForStop } from '../../shared/stop-signals.ts';
import { printWarning } from '../format/print-warning.ts';
import { hasColours, makeStyle } from '../format/style.ts';
import { eventJson, eventLine, sourceLines, sourcesJson } from './watch-lines.ts';

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
    const reports = await sourceReports(loci);
    const stopAnswering = await answerCommands(context);
    if (json) io.stdout.write(`${sourcesJson(reports)}\n`);
    else printSources(reports, io);
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

function printSources(reports: readonly SourceReport[], { stderr, env }: Io): void {
  const lines = sourceLines(reports, makeStyle(hasColours(stderr, env)), outputColumns(stderr));
  const title = 'Loci refreshes these vaults and sources. Press Ctrl-C to stop.';
  stderr.write([title, ...lines, ''].join('\n'));
}
