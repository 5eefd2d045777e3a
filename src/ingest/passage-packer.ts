import { cutOffset } from '../core/text/cut-offset.ts';
import type { Span } from '../core/types.ts';
import type { Block, MarkdownSection } from './markdown-blocks.ts';

/** A passage as offsets into the content, without surrounding blank lines. */
interface PassageSpan extends Span {
  readonly headings: readonly string[];
}

export interface ChunkOptions {
  /** The longest passage, in the counter's tokens. */
  readonly maxTokens: number;
  /** Tokens of a text as the embedder counts them, special tokens included. */
  readonly countTokens: (text: string) => number;
}

/**
 * Sections below this share of the limit may share a passage with a small sibling or parent, so that an outline of
 * one-line sections does not become one passage per line.
 */
const SMALL_SECTION_SHARE = 0.25;

/**
 * Maximum length of a passage in UTF-16 units per token of the limit. A token count alone is not enough: a word-piece
 * tokenizer counts a megabyte of base64 as one unknown token. Prose has 3 to 6 units per token, aligned tables up to 10.
 */
const MAX_UNITS_PER_TOKEN = 16;

/** A block that is too long for any passage begins in the current one if at least this share of the limit is free. */
const MIN_FREE_SHARE = 0.25;

/** The initial estimate, which the counted tokens correct. */
const INITIAL_UNITS_PER_TOKEN = 4;

/** A piece that fills less than this share of the free tokens is too short, and a longer one is tried. */
const MIN_FILLED_SHARE = 0.6;
const MAX_LONGER_GUESSES = 4;

const MAX_INDENT_UNITS = 100;

/** A last piece below this share of the limit has too few words to be found; the piece before it gives it some. */
const MIN_REST_SHARE = 0.25;
/** Share of the remaining text for the piece before the last. It is above one half because a cut falls on the last
 * sentence end before it. */
const REBALANCED_SHARE = 0.6;

interface Cut {
  readonly end: number;
  readonly tokens: number;
}

interface Piece extends Span {
  readonly section: MarkdownSection;
  readonly isHeading: boolean;
}

/** Packs the blocks of one text into passages. Tokens are counted once for each block, never on growing prefixes. */
export class PassagePacker {
  readonly #content: string;
  readonly #options: ChunkOptions;
  readonly #maxTokens: number;
  /** Tokens that the counter adds to every text (its special tokens). They count once per passage, not once per block. */
  readonly #overhead: number;
  readonly #passages: PassageSpan[] = [];
  #pieces: Piece[] = [];
  #tokens = 0;
  #unitsPerToken = INITIAL_UNITS_PER_TOKEN;

  constructor(content: string, options: ChunkOptions) {
    this.#content = content;
    this.#options = options;
    const overhead = options.countTokens('');
    this.#overhead = overhead > 0 && overhead < options.maxTokens ? overhead : 0;
    this.#maxTokens = options.maxTokens - this.#overhead;
  }

  /** Must be called once for each section, in order. */
  add(section: MarkdownSection): void {
    if (!this.#continuesPassage(section)) this.#flush(this.#headingsAbove(section));
    for (const block of section.blocks) {
      if (block.kind === 'comment') this.#flush();
      else this.#addBlock(block, section, block.kind === 'heading');
    }
  }

  finish(): PassageSpan[] {
    this.#flush();
    return this.#passages;
  }

  /** Whether a section may continue the passage of the previous section. */
  #continuesPassage(section: MarkdownSection): boolean {
    if (this.#pieces.length === 0) return true;
    const parent = mainPiece(this.#pieces).section.path.slice(0, -1);
    if (!startsWith(section.path, parent)) return false;
    if (this.#onlyHeadings()) return true;
    const small = this.#maxTokens * SMALL_SECTION_SHARE;
    if (this.#tokens >= small) return false;
    const { start, end } = trimmed(this.#content, section.blocks[0]!.start, section.blocks.at(-1)!.end);
    return end - start <= small * MAX_UNITS_PER_TOKEN && this.#count(start, end) < small;
  }

  #onlyHeadings(): boolean {
    return this.#pieces.every((piece) => piece.isHeading);
  }

  #addBlock(block: Block, section: MarkdownSection, isHeading: boolean): void {
    const { start, end } = trimmed(this.#content, block.start, block.end);
    if (start === end) return;
    const piece = { start, end, section, isHeading };
    if (this.#append(piece)) return;
    // A heading must not be alone at the end of a passage if the block after it can be cut.
    const alone = this.#fitting(start, end);
    if (alone !== null && (block.kind === 'fence' || !this.#onlyHeadings())) {
      this.#flush();
      this.#push(piece, alone);
    } else if (block.children.length > 0) {
      for (const child of block.children) this.#addBlock(child, section, isHeading);
    } else {
      this.#cut(piece, block);
    }
  }

  /** Adds a piece to the current passage if it fits, including the blank lines between them. */
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

  /** The number of tokens of a slice, or `null` if it is too long for any passage. */
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

  /** Cuts a block without nested blocks into pieces, each as long as possible. */
  #cut(whole: Piece, block: Block): void {
    for (let index = whole.start; index < whole.end;) {
      if (!this.#hasRoom(index)) this.#flush();
      const { end, tokens } = this.#rebalanceRest(
        index,
        whole.end,
        block,
        this.#nextPiece(index, whole.end, block),
      );
      // This happens only if even one code point does not fit into the free part.
      if (this.#tokens + tokens > this.#maxTokens) this.#flush();
      const piece = { ...whole, ...trimmed(this.#content, index, end) };
      if (piece.start < piece.end) this.#push(piece, tokens);
      index = trimmed(this.#content, end, whole.end).start;
      if (index < whole.end) this.#flush();
    }
  }

  #hasRoom(index: number): boolean {
    const free = 1 - this.#tokens / this.#maxTokens;
    const units = index - (this.#pieces[0]?.start ?? index);
    return free >= MIN_FREE_SHARE && units <= this.#maxUnits() * (1 - MIN_FREE_SHARE);
  }

  /** Estimates a length from the tokens counted so far, counts, and estimates again until the piece fits well. */
  #nextPiece(from: number, to: number, block: Block): Cut {
    const free = Math.max(1, this.#maxTokens - this.#tokens);
    const countFrom = this.#pieces.at(-1)?.end ?? from;
    const unitsLeft = this.#maxUnits() - (from - (this.#pieces[0]?.start ?? from));
    const longest = Math.max(1, Math.floor(Math.min(free * MAX_UNITS_PER_TOKEN, unitsLeft)));
    let length = Math.min(longest, Math.max(1, Math.floor(free * this.#unitsPerToken)));
    for (let longerGuesses = 0; ;) {
      const limit = from + length;
      const end = limit >= to ? to : cutOffset(this.#content, from, limit, block.cutAt);
      const tokens = this.#count(countFrom, end);
      if (tokens > free) {
        if (length === 1) return { end, tokens };
        length = Math.max(1, Math.min(length - 1, Math.floor(((end - from) * free * 0.95) / tokens)));
        longerGuesses = MAX_LONGER_GUESSES;
        continue;
      }
      this.#unitsPerToken = Math.min(MAX_UNITS_PER_TOKEN, (end - from) / Math.max(1, tokens));
      const longer = Math.min(longest, Math.ceil((length * free * 0.95) / Math.max(1, tokens)));
      const wellFilled = end === to || tokens >= free * MIN_FILLED_SHARE || longer <= length;
      if (wellFilled || longerGuesses >= MAX_LONGER_GUESSES) return { end, tokens };
      length = longer;
      longerGuesses++;
    }
  }

  /** If the rest of a block would be too short, makes the piece before it shorter and the rest longer. */
  #rebalanceRest(from: number, to: number, block: Block, cut: Cut): Cut {
    const unitsPerToken = (cut.end - from) / Math.max(1, cut.tokens);
    if (cut.end === to || to - cut.end > this.#maxTokens * MIN_REST_SHARE * unitsPerToken) return cut;
    const limit = from + Math.ceil((to - from) * REBALANCED_SHARE);
    if (limit >= cut.end) return cut;
    const end = cutOffset(this.#content, from, limit, block.cutAt);
    return { end, tokens: this.#count(this.#pieces.at(-1)?.end ?? from, end) };
  }

  /** Ends the current passage. The pieces in `kept` begin the next one. */
  #flush(kept: readonly Piece[] = []): void {
    const ended = this.#pieces.slice(0, this.#pieces.length - kept.length);
    if (ended.length > 0) this.#emit(ended);
    this.#pieces = [...kept];
    this.#tokens = kept.length === 0 ? 0 : this.#count(kept[0]!.start, kept.at(-1)!.end);
  }

  /** Headings at the end of the current passage that have no text below them yet and that the section belongs to. */
  #headingsAbove(section: MarkdownSection): readonly Piece[] {
    const kept =
      this.#pieces.findLastIndex(
        (piece) => !piece.isHeading || !startsWith(section.path, piece.section.path),
      ) + 1;
    return this.#pieces.slice(kept);
  }

  /** Token counts need not be additive, so a passage may turn out too long; then its pieces are divided in two halves. */
  #emit(pieces: readonly Piece[]): void {
    const start = pieces[0]!.start;
    const end = pieces.at(-1)!.end;
    if (pieces.length > 1 && this.#count(start, end) > this.#maxTokens) {
      const half = pieces.length >>> 1;
      this.#emit(pieces.slice(0, half));
      this.#emit(pieces.slice(half));
      return;
    }
    this.#passages.push({ start, end, headings: mainPiece(pieces).section.path });
  }
}

/** The piece whose headings the passage gets: the first that is not a heading, else the last heading. */
function mainPiece(pieces: readonly Piece[]): Piece {
  return pieces.find((piece) => !piece.isHeading) ?? pieces.at(-1)!;
}

function startsWith(path: readonly string[], above: readonly string[]): boolean {
  return above.every((title, depth) => path[depth] === title);
}

/**
 * A range without trailing white space and leading blank lines. The first line keeps its indentation unless the range
 * begins within the line or the indentation is longer than `MAX_INDENT_UNITS`.
 */
function trimmed(content: string, start: number, end: number): Span {
  const text = content.slice(start, end);
  const blank = text.length - text.trimStart().length;
  if (blank === text.length) return { start: end, end };
  const lineStart = text.lastIndexOf('\n', blank) + 1;
  const wholeLine = lineStart > 0 || start === 0 || content[start - 1] === '\n';
  const indented = wholeLine && blank - lineStart <= MAX_INDENT_UNITS;
  return { start: start + (indented ? lineStart : blank), end: start + text.trimEnd().length };
}
