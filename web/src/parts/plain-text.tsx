import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { piecesOf } from './hidden-characters.ts';

interface PlainTextProps {
  readonly text: string;
  /** Parts to highlight: start and end in UTF-16 code units, end exclusive, in order. */
  readonly highlights?: readonly (readonly number[])[];
  /** Leaves blank lines out. */
  readonly compact?: boolean;
}

/** A text that anybody may have written: invisible characters are shown by their numbers, and its direction is its own. */
export function PlainText({ text, highlights = [], compact = false }: PlainTextProps): JSX.Element {
  const shown = (part: string): ReturnType<typeof visible> =>
    visible(compact ? part.replaceAll(/\n\s*\n/g, '\n') : part);
  const parts: JSX.Element[] = [];
  let end = 0;
  for (const [from = 0, to = 0] of highlights) {
    if (from < end) continue;
    parts.push(<>{shown(text.slice(end, from))}</>, <mark>{shown(text.slice(from, to))}</mark>);
    end = to;
  }
  parts.push(<>{shown(text.slice(end))}</>);
  return <bdi>{parts}</bdi>;
}

/** Longer texts are folded. */
const SHOWN_CHARACTERS = 400;

/** A text that somebody wrote, of which a long one is shown in part until the reader asks for all of it. */
export function Folded({ text }: Pick<PlainTextProps, 'text'>): JSX.Element {
  const [whole, setWhole] = useState(false);
  const isLong = text.length > SHOWN_CHARACTERS;
  return (
    <div>
      <p class="folded">
        <PlainText text={isLong && !whole ? `${text.slice(0, SHOWN_CHARACTERS).trimEnd()} …` : text} />
      </p>
      {isLong && (
        <button type="button" class="why" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {t(whole ? SHELL.showLess : SHELL.showAll)}
        </button>
      )}
    </div>
  );
}

/** A message of the server, which has commands and names between backticks. */
export function Message({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(/`([^`]+)`/);
  return (
    <>
      {parts.map((part, i) =>
        i % 2 === 0 ? <PlainText key={i} text={part} /> : <code key={i}>{visible(part)}</code>,
      )}
    </>
  );
}

/** Messages of the server, a line each. */
export function Notices({ notices }: { readonly notices: readonly string[] }): JSX.Element {
  return (
    <>
      {notices.map((notice) => (
        <p class="quiet-text" key={notice}>
          <Message text={notice} />
        </p>
      ))}
    </>
  );
}

/** Why something failed, and what to do. */
export function ErrorText({ error: { message, hint } }: { readonly error: ApiError }): JSX.Element {
  return (
    <>
      <p>
        <Message text={message} />
      </p>
      <Notices notices={hint === '' ? [] : [hint]} />
    </>
  );
}

/** The text with each invisible character replaced by its number. */
function visible(text: string): (string | JSX.Element)[] {
  return piecesOf(text).map(({ text: piece, isHidden }) =>
    isHidden ? (
      <span class="hidden-character" title={t(SHELL.hidden, { code: piece })}>
        {piece}
      </span>
    ) : (
      piece
    ),
  );
}
