import type { Span } from '../../core/types.ts';

/** The lines of offsets in rising order, in time linear in the text, however long its lines are. */
export class LineCounter {
  readonly #text: string;
  #line: number;
  #end: number;

  /** @param first the number of the first line */
  constructor(text: string, first = 1) {
    this.#text = text;
    this.#line = first;
    this.#end = this.#next(0);
  }

  /** The line of an offset that is not before that of the last call. */
  lineOf(offset: number): number {
    while (this.#end < offset) {
      this.#line++;
      this.#end = this.#next(this.#end + 1);
    }
    return this.#line;
  }

  /** The lines of a span as a citation has them: `#L3-L9`. */
  cited({ start, end }: Span): string {
    const from = this.lineOf(start);
    return `#L${String(from)}-L${String(this.lineOf(end))}`;
  }

  #next(from: number): number {
    const end = this.#text.indexOf('\n', from);
    return end < 0 ? Infinity : end;
  }
}
