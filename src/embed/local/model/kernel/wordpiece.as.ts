/**
 * BERT's vocabulary as a hash table over the bytes of tokenizer.json, and the greedy split of a word into its pieces.
 * In WebAssembly because the start of every thread and the first count on the host's thread wait for it: to fill a
 * JavaScript Map with 30,522 strings takes three times as long.
 */

/** Where the host puts a word (UTF-8, at most 512 bytes) and finds its pieces' ids (i32, at most one a byte). */
const WORD: i32 = 0;
const IDS: i32 = 512;
/** Open addressing; a slot is the piece's address (u32, 0 if free), its length and kind (u16), its id (u16). */
const TABLE: i32 = 4096;
const SLOTS: i32 = 65536;
const SLOT_BYTES: i32 = 8;

/** Where the host puts the file, followed by a zero byte: 528,384. */
const TEXT: i32 = TABLE + SLOTS * SLOT_BYTES;

const QUOTE: u8 = 34;
const COMMA: u8 = 44;
const ZERO: u8 = 48;
const COLON: u8 = 58;
const BACKSLASH: u8 = 92;
const NUMBER_SIGNS: u16 = 0x2323;

/** A piece that continues a word (`##` in the file), in the bit above its length. */
const TAIL: i32 = 256;

/** FNV-1a (Fowler, Noll & Vo 1991); pieces that begin a word and pieces that continue it start apart. */
const HEAD_HASH: u32 = 0x811c9dc5;
const TAIL_HASH: u32 = 0x050c5d1f;
const PRIME: u32 = 0x01000193;

let longest: i32 = 0;

@inline
function slotOf(hash: u32): usize {
  return TABLE + ((hash ^ (hash >>> 15)) & (SLOTS - 1)) * SLOT_BYTES;
}

@inline
function nextSlot(slot: usize): usize {
  const next = slot + SLOT_BYTES;
  return next == <usize>TEXT ? <usize>TABLE : next;
}

function equal(a: usize, b: usize, length: i32): bool {
  for (let i: usize = 0; i < <usize>length; i++) {
    if (load<u8>(a + i) != load<u8>(b + i)) return false;
  }
  return true;
}

/** The id of a piece, or -1. `key` is its length, with TAIL. */
function find(bytes: usize, key: i32, hash: u32): i32 {
  let entry = slotOf(hash);
  for (let piece = load<u32>(entry); piece != 0; piece = load<u32>(entry)) {
    if (load<u16>(entry, 4) == key && equal(piece, bytes, key & (TAIL - 1))) return load<u16>(entry, 6);
    entry = nextSlot(entry);
  }
  return -1;
}

function insert(bytes: usize, length: i32, id: i32): void {
  const tail = length > 2 && load<u16>(bytes) == NUMBER_SIGNS;
  if (tail) {
    bytes += 2;
    length -= 2;
  }
  let hash = tail ? TAIL_HASH : HEAD_HASH;
  for (let i: usize = 0; i < <usize>length; i++) hash = (hash ^ load<u8>(bytes + i)) * PRIME;
  let entry = slotOf(hash);
  while (load<u32>(entry) != 0) entry = nextSlot(entry);
  store<u32>(entry, <u32>bytes);
  store<u16>(entry, length | (tail ? TAIL : 0), 4);
  store<u16>(entry, id, 6);
  if (length > longest) longest = length;
}

/**
 * Reads `"piece":id,…` from the first quotation mark of the vocabulary's object, at `p`, to its end; no white space.
 * Escapes are undone in place. Returns the number of pieces; 0 if the text is anything else.
 */
export function indexVocabulary(p: usize): i32 {
  for (let pieces = 1; pieces < SLOTS / 2 + SLOTS / 4; pieces++) {
    if (load<u8>(p++) != QUOTE) return 0;
    const start = p;
    let end = p;
    for (let byte = load<u8>(p++); byte != QUOTE; byte = load<u8>(p++)) {
      if (byte == BACKSLASH) {
        byte = load<u8>(p++);
        if (byte != BACKSLASH && byte != QUOTE) return 0;
      }
      store<u8>(end++, byte);
      if (end - start >= <usize>TAIL) return 0;
    }
    if (load<u8>(p++) != COLON) return 0;
    let id = 0;
    for (let digit = load<u8>(p) - ZERO; digit < 10; digit = load<u8>(++p) - ZERO) id = id * 10 + digit;
    insert(start, <i32>(end - start), id);
    if (load<u8>(p++) != COMMA) return pieces;
  }
  return 0;
}

/**
 * The longest known piece from the left, again and again (WordPiece); ids go to IDS. Returns their number; 0 when
 * some rest of the word begins with no piece.
 */
export function splitWord(length: i32): i32 {
  let count = 0;
  let start = 0;
  while (start < length) {
    const tail = start == 0 ? 0 : TAIL;
    const most = min(length, start + longest);
    let hash = start == 0 ? HEAD_HASH : TAIL_HASH;
    let id = -1;
    let end = start;
    for (let i = start; i < most; i++) {
      hash = (hash ^ load<u8>(WORD + i)) * PRIME;
      const found = find(WORD + start, (i + 1 - start) | tail, hash);
      if (found < 0) continue;
      id = found;
      end = i + 1;
    }
    if (id < 0) return 0;
    store<i32>(IDS + (count++ << 2), id);
    start = end;
  }
  return count;
}
