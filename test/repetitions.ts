const IS_LONG = process.env['LOCI_LONG_TESTS'] === '1';

/** How often a test repeats its work: `long` times when `LOCI_LONG_TESTS` is 1, otherwise `short` times. */
export function repetitions(short: number, long: number): number {
  return IS_LONG ? long : short;
}
