import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expandHome } from '../../../config/paths.ts';
import { configHome } from '../../../config/load.ts';
import { valueAt } from '../../../core/json-path.ts';
import { LociError } from '../../../core/errors.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import { StepDisplay } from '../../cli/format/step-display.ts';
import type { Io } from '../../shared/io.ts';
import type { RunStandalone, StandaloneCall } from '../../shared/run-standalone.ts';
import { STOP_SIGNALS } from '../../shared/stop-signals.ts';
import { PLUGIN } from './config/plugin-keys.ts';
import { ConfigFiles } from './config/config-files.ts';
import { Openclaw } from './program.ts';

/** What the commands about OpenClaw use while they run. */
export interface HostSession {
  readonly call: StandaloneCall;
  readonly io: Io;
  readonly openclaw: Openclaw;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Shows what is done now. It has to end before anything else is printed. */
  readonly steps: StepDisplay;
}

/** Makes a command. Ctrl-C aborts its signal, so that it can restore what it has changed. */
export function openclawCommand(run: (session: HostSession) => Promise<number>): RunStandalone {
  return async (call, io) => {
    const controller = new AbortController();
    const steps = new StepDisplay(io.stderr);
    const stop = (): void => {
      if (!controller.signal.aborted) steps.begin('stopping');
      controller.abort(new LociError('aborted', 'stopped'));
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    const { openclaw: path } = call.options;
    const options = {
      path: typeof path === 'string' ? path : 'openclaw',
      env: io.env,
      signal: controller.signal,
    };
    try {
      return await run({ call, io, openclaw: new Openclaw(options), signal: controller.signal, steps });
    } finally {
      steps.end();
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    }
  };
}

/** The configuration of OpenClaw. @throws LociError `not_found` if there is none yet */
export async function loadHostConfig({ openclaw }: HostSession): Promise<ConfigFiles> {
  const file = await openclaw.configFile();
  if ((await stat(file).catch(() => null)) === null)
    throw new LociError('not_found', `OpenClaw has no configuration yet: ${file} is missing`, {
      hint: 'Run `openclaw onboard` first, or set OPENCLAW_CONFIG_PATH.',
    });
  return ConfigFiles.load(file);
}

/** The settings of the plugin. */
export function pluginConfig(values: JsonMap, plugin: string = PLUGIN): JsonMap {
  const config = valueAt(values, ['plugins', 'entries', plugin, 'config']);
  return isJsonMap(config) ? config : {};
}

/** The Loci home that the plugin uses, or will use. @throws LociError `invalid_input` if `--home` is another one */
export function lociHomeOf({ call, io }: HostSession, values: JsonMap, plugin: string = PLUGIN): string {
  const { home: configured } = pluginConfig(values, plugin);
  const asked = configHome({ env: io.env, ...(call.home !== undefined && { home: call.home }) });
  if (typeof configured !== 'string') return asked;
  const home = resolve(expandHome(configured));
  if (call.home === undefined || asked === home) return home;
  throw new LociError('invalid_input', `${plugin} uses the home ${home} already, not ${asked}`, {
    hint: `Leave --home out, or change plugins.entries.${plugin}.config.home in openclaw.json.`,
  });
}
