import type { Json } from '../../../core/types.ts';
import type { ConfigGetOutput } from '../../../operations/settings/config-get.ts';
import type { ConfigSetOutput } from '../../../operations/settings/config-set.ts';
import type { ConfigShowOutput } from '../../../operations/settings/config-show.ts';
import { escapeControl } from '../../shared/escape-control.ts';
import { padEnd, textWidth } from '../format/text-width.ts';
import type { Renderer } from './operation-command.ts';

export const configShowRenderer: Renderer<ConfigShowOutput> = {
  render: ({ file, settings }, { style }) => {
    const rows = settings.map(({ key, value, origin }) => ({ key, values: valueLines(value), origin }));
    const keys = Math.max(...rows.map(({ key }) => key.length));
    const fitting = rows.flatMap(({ values }) => values.map(textWidth)).filter((width) => width <= WIDEST);
    const widest = Math.max(0, ...fitting);
    const lines = rows.flatMap(({ key, values, origin }) => {
      const from = origin === 'default' ? style.dim(origin) : style.bold(escapeControl(origin));
      const [first = '', ...rest] = values;
      // A value that is too wide for the column pushes its origin to a line of its own.
      const column = textWidth(first) <= widest ? [first, ...rest] : ['', first, ...rest];
      return column.map((value, i) =>
        `${padEnd(i === 0 ? key : '', keys)}  ${padEnd(value, widest)}  ${i === 0 ? from : ''}`.trimEnd(),
      );
    });
    return `${style.dim(escapeControl(file))}\n${lines.join('\n')}\n`;
  },
};

/** Columns of the values. */
const WIDEST = 40;

/** A line for each entry of a list of maps, such as the vaults. */
function valueLines(value: Json): string[] {
  if (value === null) return ['not set'];
  if (!Array.isArray(value)) return [shown(value)];
  return value.length === 0 ? ['none'] : value.map(shown);
}

/** The value alone, so that a script can take it. */
export const configGetRenderer: Renderer<ConfigGetOutput> = {
  render: ({ value }) => `${shown(value)}\n`,
};

export const configSetRenderer: Renderer<ConfigSetOutput> = {
  notices: ({ key, overridden_by }) =>
    overridden_by === null ? [] : [`${overridden_by} is set in this shell and hides the new ${key}`],
  render: ({ key, value, file }) => `${key} is ${shown(value)} now, in ${escapeControl(file)}.\n`,
};

function shown(value: Json): string {
  return escapeControl(typeof value === 'string' ? value : JSON.stringify(value));
}
