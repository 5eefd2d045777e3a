import { asTypedIn } from '../../shared/command-names.ts';
import { escapeControl } from '../../shared/escape-control.ts';
import type { Io } from '../../shared/io.ts';
import { hasColours, makeStyle } from './style.ts';

export function printWarning(warning: string, io: Io): void {
  const style = makeStyle(hasColours(io.stderr, io.env));
  io.stderr.write(`${style.warning('loci: warning:')} ${escapeControl(asTypedIn(io.env, warning))}\n`);
}
