import type { DoctorOutput } from '../../../operations/health/doctor.ts';
import { escapeControl } from '../../shared/escape-control.ts';
import type { Renderer, View } from './operation-command.ts';

type Check = DoctorOutput['checks'][number];

export const doctorRenderer: Renderer<DoctorOutput> = {
  showsWarnings: true,
  exitCode: ({ healthy }) => (healthy ? 0 : 1),
  render: ({ checks, healthy }, view) => {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const warnings = checks.filter(({ result }) => result === 'warning').length;
    const noticed = warnings === 0 ? '' : ` (${String(warnings)} ${warnings === 1 ? 'warning' : 'warnings'})`;
    const end = healthy ? view.style.good(`All is well${noticed}.`) : view.style.bad('Something is wrong.');
    return `${[...checks.flatMap((check) => checkLines(check, width, view)), end].join('\n')}\n`;
  },
};

/** Lines of one check that are shown unless all are asked for. */
const SHOWN = 10;

function checkLines({ name, result, detail, hint }: Check, width: number, view: View): string[] {
  const { style, options } = view;
  const paint = { ok: style.good, warning: style.warning, failed: style.bad }[result];
  const margin = ' '.repeat('warning'.length + width + 4);
  const [first = '', ...rest] = escapeControl(detail).split('\n');
  const shown = options.has('verbose') ? rest : rest.slice(0, SHOWN);
  const more = rest.length - shown.length;
  const cut = more === 0 ? [] : [style.dim(`… and ${String(more)} more; --verbose lists them all`)];
  return [
    `${paint(result.padEnd('warning'.length))}  ${escapeControl(name).padEnd(width)}  ${first}`,
    ...[...shown, ...cut].map((line) => margin + line),
    ...(hint === null ? [] : [`${margin}${style.dim(`→ ${escapeControl(hint)}`)}`]),
  ];
}
