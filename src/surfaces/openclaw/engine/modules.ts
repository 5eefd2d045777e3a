import { fileURLToPath } from 'node:url';
import type { EngineHost, GatewayEngine } from './engine.ts';
import type * as commandVariables from './command-variables.ts';
import type { recallText } from './recall-text.ts';
import type * as runTool from './run-tool.ts';
import type { timelineOf } from './timeline.ts';

/** The command line of this package. */
export const COMMAND_LINE: string = fileURLToPath(new URL('../../../../bin/loci.js', import.meta.url));

/** An open engine, and the functions that run tools in it. */
export interface EngineModules {
  readonly engine: GatewayEngine;
  readonly tools: typeof runTool;
  readonly recallText: typeof recallText;
  readonly timelineOf: typeof timelineOf;
}

/** Loads the engine and opens it. @throws LociError why it cannot be opened */
export async function openGatewayEngine(host: EngineHost): Promise<EngineModules> {
  const [{ GatewayEngine: Engine }, tools, recall, timeline] = await Promise.all([
    import('./engine.ts'),
    import('./run-tool.ts'),
    import('./recall-text.ts'),
    import('./timeline.ts'),
  ]);
  return {
    engine: await Engine.open(host),
    tools,
    recallText: recall.recallText,
    timelineOf: timeline.timelineOf,
  };
}

/** Loads the module that makes the variables of a command. */
export function loadCommandVariables(): Promise<typeof commandVariables> {
  return import('./command-variables.ts');
}
