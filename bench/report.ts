/** A measurement and its baseline. */
export interface Measure {
  readonly what: string;
  readonly unit: 'ms' | 'MB' | 'tokens' | 'a second' | 'a CPU second' | 'round trips' | 'share';
  readonly ours: number;
  readonly baseline?: { readonly name: string; readonly value: number };
  readonly target?: Target;
}

/** The target, for the figure itself or for its ratio to the baseline. */
export interface Target {
  readonly of: 'ours' | 'ratio';
  readonly least?: number;
  readonly most?: number;
  /** Whether `--check` fails if the target is missed. Times on a shared machine are only reported. */
  readonly checked: boolean;
}

export interface Section {
  readonly title: string;
  readonly measures: readonly Measure[];
}

/** The figure divided by the baseline, or `null` without a baseline. */
export function ratioOf({ ours, baseline }: Measure): number | null {
  return baseline === undefined ? null : ours / baseline.value;
}

/** Whether the target is reached, or `null` without a target. NaN never reaches a target. */
export function isReached(measure: Measure): boolean | null {
  const { target, ours } = measure;
  if (target === undefined) return null;
  const figure = target.of === 'ours' ? ours : (ratioOf(measure) ?? Number.NaN);
  return figure >= (target.least ?? -Infinity) && figure <= (target.most ?? Infinity);
}

/** The measurements that make `--check` fail. */
export function missedTargets(sections: readonly Section[]): Measure[] {
  return sections.flatMap(({ measures }) =>
    measures.filter((measure) => measure.target?.checked === true && isReached(measure) === false),
  );
}

const HEADINGS = ['', 'ours', 'baseline', '', 'ratio', 'must reach', 'ok'];

/** Formats the section as lines of a table. */
export function sectionLines({ title, measures }: Section): string[] {
  const rows = [HEADINGS.with(0, title), ...measures.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        LEFT_COLUMNS.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}

const LEFT_COLUMNS = new Set([0, 3, 5, 6]);

function cellsOf(measure: Measure): string[] {
  const { what, unit, ours, baseline } = measure;
  const ratio = ratioOf(measure);
  return [
    unit === 'share' ? what : `${what}, ${unit}`,
    figure(ours),
    baseline === undefined ? '' : figure(baseline.value),
    baseline?.name ?? '',
    ratio === null ? '' : figure(ratio),
    targetText(measure.target),
    outcomeText(measure),
  ];
}

function targetText(target: Target | undefined): string {
  if (target === undefined) return '';
  const bound = target.least === undefined ? `≤ ${String(target.most)}` : `≥ ${String(target.least)}`;
  return target.of === 'ratio' ? `ratio ${bound}` : bound;
}

function outcomeText(measure: Measure): string {
  const reached = isReached(measure);
  if (reached === null) return '';
  const word = reached ? 'yes' : 'NO';
  return measure.target?.checked === true ? word : `${word} (not checked)`;
}

function figure(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3);
}
