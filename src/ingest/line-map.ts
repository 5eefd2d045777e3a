/** Maps offsets of a text to line numbers without scanning the text again. */
export interface LineMap {
  readonly count: number;
  /** Offset of the first character of a line, counted from 0. The offset of line `count` is the text's length. */
  startOf(line: number): number;
  /** The line, counted from 0, that contains an offset. */
  lineOf(offset: number): number;
}

/** Only `\n` ends a line; a `\r` before it belongs to the line. */
export function mapLines(text: string): LineMap {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1))
    starts.push(index + 1);
  return {
    count: starts.length,
    startOf: (line) => starts[line] ?? text.length,
    lineOf: (offset) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if (starts[middle]! <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
