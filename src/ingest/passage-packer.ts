import { cutOffset } from './cut-text.ts';
import type { Block, Section } from './markdown-blocks.ts';

/** A passage as offsets into the content, without blank lines around it. */
export interface PackedPassage {
  readonly start: number;
  readonly end: number;
  readonly headings: readonly string[];
}

export interface PackOptions {
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/**
 * Sections of less than this share of the limit may share a passage with a small sibling or parent, so that an
 * outline of one-line sections does not become one passage a line.
 */
const SMALL_SECTION = 0.25;

/**
 * A passage is never longer than this many UTF-16 units a token, whatever the counter says: a word-piece
 * tokenizer calls a megabyte of base64 one unknown token. Prose takes 3 to 6, aligned tables up to 10.
 */
const MAX_UNITS_PER_TOKEN = 16;

/** A block too long for any passage begins in the running one when at least this share of the limit is free. */
const WORTH_FILLING = 0.25;

/** A first guess, corrected by what is counted. */
const UNITS_PER_TOKEN = 4;

/** A piece that fills less than this share of what is free was guessed too short, and is guessed again. */
const WELL_FILLED = 0.6;
const MAX_GUESSES_UP = 4;

/** In UTF-16 units. */
const MAX_INDENT = 100;

/** The rest of a block that was cut is a scrap below this share of the limit: too few words to be found by. */
const SCRAP = 0.25;
/** Somewhat above one half, because a cut falls on the last sentence's end before it. */
const EVEN_SHARE = 0.6;

interface Cut {
  readonly end: number;
  readonly tokens: number;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly section: Section;
  readonly isHeading: boolean;
}

/** Packs the blocks of one text into passages. Tokens are counted on each block, never on growing prefixes. */
export class PassagePacker {
  readonly #content: string;
  readonly #options: PackOptions;
  readonly #maxTokens: number;
  /** What the counter adds to every text (its special tokens); paid once a passage, not once a block. */
  readonly #overhead: number;
  readonly #passages: PackedPassage[] = [];
  #pieces: Piece[] = [];
  #tokens = 0;
  #unitsPerToken = UNITS_PER_TOKEN;

  constructor(content: string, options: PackOptions) {
    this.#content = content;
    this.#options = options;
    const overhead = options.countTokens('');
    this.#overhead = overhead > 0 && overhead < options.maxTokens ? overhead : 0;
    this.#maxTokens = options.maxTokens - this.#overhead;
  }

  /** Call once for each section, in order. */
  add(section: Section): void {
    if (!this.#joins(section)) this.#flush(this.#headingsAbove(section));
    for (const block of section.blocks) {
      if (block.kind === 'comment') this.#flush();
      else this.#place(block, section, block.kind === 'heading');
    }
  }

  finish(): PackedPassage[] {
    this.#flush();
    return this.#passages;
  }

  /** Whether a section may go on in the passage of the section before it. */
  #joins(section: Section): boolean {
    if (this.#pieces.length === 0) return true;
    const parent = bodyOf(this.#pieces).section.path.slice(0, -1);
    if (!startsWith(section.path, parent)) return false;
    if (this.#onlyHeadings()) return true;
    const small = this.#maxTokens * SMALL_SECTION;
    if (this.#tokens >= small) return false;
    const { start, end } = trimmed(this.#content, section.blocks[0]!.start, section.blocks.at(-1)!.end);
    return end - start <= small * MAX_UNITS_PER_TOKEN && this.#count(start, end) < small;
  }

  #onlyHeadings(): boolean {
    return this.#pieces.every((piece) => piece.isHeading);
  }

  #place(block: Block, section: Section, isHeading: boolean): void {
    const { start, end } = trimmed(this.#content, block.start, block.end);
    if (start === end) return;
    const piece = { start, end, section, isHeading };
    if (this.#append(piece)) return;
    // A heading is not left alone at the end of a passage when what follows it can be cut.
    const alone = this.#fitting(start, end);
    if (alone !== null && (block.kind === 'fence' || !this.#onlyHeadings())) {
      this.#flush();
      this.#push(piece, alone);
    } else if (block.children.length > 0) {
      for (const child of block.children) this.#place(child, section, isHeading);
    } else {
      this.#cut(piece, block);
    }
  }

  /** Adds a piece to the running passage if it fits there, the blank lines between them included. */
  #append(piece: Piece): boolean {
    const first = this.#pieces[0];
    if (first !== undefined && piece.end - first.start > this.#maxUnits()) return false;
    const tokens = this.#fitting(this.#pieces.at(-1)?.end ?? piece.start, piece.end);
    if (tokens === null || this.#tokens + tokens > this.#maxTokens) return false;
    this.#push(piece, tokens);
    return true;
  }

  #push(piece: Piece, tokens: number): void {
    this.#pieces.push(piece);
    this.#tokens += tokens;
  }

  /** The tokens of a slice, or `null` when it is too long for any passage. */
  #fitting(start: number, end: number): number | null {
    if (end - start > this.#maxUnits()) return null;
    const tokens = this.#count(start, end);
    return tokens <= this.#maxTokens ? tokens : null;
  }

  #count(start: number, end: number): number {
    return this.#options.countTokens(this.#content.slice(start, end)) - this.#overhead;
  }

  #maxUnits(): number {
    return Math.max(1, this.#maxTokens * MAX_UNITS_PER_TOKEN);
  }

  /** Cuts a block that holds no blocks into pieces, each as long as fits. */
  #cut(whole: Piece, block: Block): void {
    for (let at = whole.start; at < whole.end;) {
      if (!this.#worthFilling(at)) this.#flush();
      const { end, tokens } = this.#leavingNoScrap(
        at,
        whole.end,
        block,
        this.#nextPiece(at, whole.end, block),
      );
      // Only where even one code point is too much for what was free.
      if (this.#tokens + tokens > this.#maxTokens) this.#flush();
      const piece = { ...whole, ...trimmed(this.#content, at, end) };
      if (piece.start < piece.end) this.#push(piece, tokens);
      at = trimmed(this.#content, end, whole.end).start;
      if (at < whole.end) this.#flush();
    }
  }

  #worthFilling(at: number): boolean {
    const free = 1 - this.#tokens / this.#maxTokens;
    const units = at - (this.#pieces[0]?.start ?? at);
    return free >= WORTH_FILLING && units <= this.#maxUnits() * (1 - WORTH_FILLING);
  }

  /** Guesses a length from the tokens seen so far, counts, and guesses again until the piece fits well. */
  #nextPiece(from: number, to: number, block: Block): Cut {
    const free = Math.max(1, this.#maxTokens - this.#tokens);
    const countFrom = this.#pieces.at(-1)?.end ?? from;
    const unitsLeft = this.#maxUnits() - (from - (this.#pieces[0]?.start ?? from));
    const longest = Math.max(1, Math.floor(Math.min(free * MAX_UNITS_PER_TOKEN, unitsLeft)));
    let length = Math.min(longest, Math.max(1, Math.floor(free * this.#unitsPerToken)));
    for (let guessesUp = 0; ;) {
      const limit = from + length;
      const end = limit >= to ? to : cutOffset(this.#content, from, limit, block.cutAt);
      const tokens = this.#count(countFrom, end);
      if (tokens > free) {
        if (length === 1) return { end, tokens };
        length = Math.max(1, Math.min(length - 1, Math.floor(((end - from) * free * 0.95) / tokens)));
        guessesUp = MAX_GUESSES_UP;
        continue;
      }
      this.#unitsPerToken = Math.min(MAX_UNITS_PER_TOKEN, (end - from) / Math.max(1, tokens));
      const longer = Math.min(longest, Math.ceil((length * free * 0.95) / Math.max(1, tokens)));
      const wellFilled = end === to || tokens >= free * WELL_FILLED || longer <= length;
      if (wellFilled || guessesUp >= MAX_GUESSES_UP) return { end, tokens };
      length = longer;
      guessesUp++;
    }
  }

  /** Where the rest of a block would be a scrap, the piece before it is made shorter and the rest longer. */
  #leavingNoScrap(from: number, to: number, block: Block, cut: Cut): Cut {
    const unitsPerToken = (cut.end - from) / Math.max(1, cut.tokens);
    if (cut.end === to || to - cut.end > this.#maxTokens * SCRAP * unitsPerToken) return cut;
    const limit = from + Math.ceil((to - from) * EVEN_SHARE);
    if (limit >= cut.end) return cut;
    const end = cutOffset(this.#content, from, limit, block.cutAt);
    return { end, tokens: this.#count(this.#pieces.at(-1)?.end ?? from, end) };
  }

  /** Ends the running passage; `kept` pieces begin the next one. */
  #flush(kept: readonly Piece[] = []): void {
    const ended = this.#pieces.slice(0, this.#pieces.length - kept.length);
    if (ended.length > 0) this.#emit(ended);
    this.#pieces = [...kept];
    this.#tokens = kept.length === 0 ? 0 : this.#count(kept[0]!.start, kept.at(-1)!.end);
  }

  /** Headings with nothing below them yet, at the end of the running passage, that a section stands under. */
  #headingsAbove(section: Section): readonly Piece[] {
    const kept =
      this.#pieces.findLastIndex(
        (piece) => !piece.isHeading || !startsWith(section.path, piece.section.path),
      ) + 1;
    return this.#pieces.slice(kept);
  }

  /** Counters need not be additive: what is too long after all is halved between its pieces. */
  #emit(pieces: readonly Piece[]): void {
    const start = pieces[0]!.start;
    const end = pieces.at(-1)!.end;
    if (pieces.length > 1 && this.#count(start, end) > this.#maxTokens) {
      const half = pieces.length >>> 1;
      this.#emit(pieces.slice(0, half));
      this.#emit(pieces.slice(half));
      return;
    }
    this.#passages.push({ start, end, headings: bodyOf(pieces).section.path });
  }
}

/** What a passage is about: the first piece that is more than a heading, else its last heading. */
function bodyOf(pieces: readonly Piece[]): Piece {
  return pieces.find((piece) => !piece.isHeading) ?? pieces.at(-1)!;
}

function startsWith(path: readonly string[], above: readonly string[]): boolean {
  return above.every((title, depth) => path[depth] === title);
}

/**
 * A range without the space at its end and the blank lines before it. The first line keeps its indentation
 * unless the range begins within the line, or the indentation is no layout any more.
 */
function trimmed(content: string, start: number, end: number): { start: number; end: number } {
  const text = content.slice(start, end);
  const blank = text.length - text.trimStart().length;
  if (blank === text.length) return { start: end, end };
  const lineStart = text.lastIndexOf('\n', blank) + 1;
  const wholeLine = lineStart > 0 || start === 0 || content[start - 1] === '\n';
  const indented = wholeLine && blank - lineStart <= MAX_INDENT;
  return { start: start + (indented ? lineStart : blank), end: start + text.trimEnd().length };
}
