import type { Json } from '../../../core/types.ts';
import type { ConfigGetOutput } from '../../../operations/config-get.ts';
import type { ConfigSetOutput } from '../../../operations/config-set.ts';
import type { ConfigShowOutput } from '../../../operations/config-show.ts';
import { neutralise } from '../neutralise.ts';
import { padEnd } from '../text-width.ts';
import type { Renderer } from './renderer.ts';

export const configShowRenderer: Renderer<ConfigShowOutput> = {
  render: ({ file, settings }, { style }) => {
    const rows = settings.map(({ key, value, origin }) => [key, shown(value), origin] as const);
    const keys = Math.max(...rows.map(([key]) => key.length));
    const lines = rows.map(([key, value, origin]) => {
      const from = origin === 'default' ? style.dim(origin) : style.bold(neutralise(origin));
      return `${padEnd(key, keys)}  ${padEnd(value, 24)}  ${from}`;
    });
    return `${style.dim(neutralise(file))}\n${lines.join('\n')}\n`;
  },
};

/** The value alone, so that a script can take it. */
export const configGetRenderer: Renderer<ConfigGetOutput> = {
  render: ({ value }) => `${shown(value)}\n`,
};

export const configSetRenderer: Renderer<ConfigSetOutput> = {
  notices: ({ key, overridden_by }) =>
    overridden_by === null ? [] : [`${overridden_by} is set in this shell and hides the new ${key}`],
  render: ({ key, value, file }) => `${key} is ${shown(value)} now, in ${neutralise(file)}.\n`,
};

function shown(value: Json): string {
  return neutralise(typeof value === 'string' ? value : JSON.stringify(value));
}
