import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Output, call } from '../../api/client.ts';
import { PlainText } from '../../parts/plain-text.tsx';
import { href, navigate } from '../../router.tsx';
import { SHELL } from '../../text/shell.ts';
import { t } from '../../text/text.ts';
import { renderMarkdown } from './markdown.ts';
import { RECORD } from '../../text/pages/record.ts';

export type ShownRecord = Output<'/api/v1/record/show'>;

/** A longer text is shown as it is written, in parts: to format it would take seconds. In UTF-16 code units. */
const MAX_FORMATTED = 100_000;
const PART_LENGTH = 50_000;

/** The text of a record, formatted; as it is written if it is long or cannot be formatted. */
export function MarkdownView({ record }: { readonly record: ShownRecord }): JSX.Element {
  const [failed, setFailed] = useState<string>();
  const asWritten = record.text.length > MAX_FORMATTED || failed === record.text;
  return asWritten ? (
    <LongText text={record.text} />
  ) : (
    <Formatted record={record} onFailure={() => setFailed(record.text)} />
  );
}

/** A text as it is written, part by part. */
export function LongText({ text }: { readonly text: string }): JSX.Element {
  const [shown, setShown] = useState(PART_LENGTH);
  return (
    <div class="stack">
      <pre class="source-text">
        <PlainText text={text.slice(0, shown)} />
      </pre>
      {shown < text.length && (
        <div>
          <button type="button" class="button" onClick={() => setShown(shown + PART_LENGTH)}>
            {t(SHELL.more)}
          </button>
        </div>
      )}
    </div>
  );
}

interface FormattedProps {
  readonly record: ShownRecord;
  /** Called if the text cannot be formatted. */
  readonly onFailure: () => void;
}

function Formatted({ record, onFailure }: FormattedProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const { title, first_line: firstLine } = record;
    try {
      current.replaceChildren(
        renderMarkdown(record.text, { title, firstLine, addressOf: addressesOf(record) }),
      );
    } catch (error) {
      console.warn(error);
      onFailure();
      return undefined;
    }
    showLines(current, record);
    return loadPictures(current, record);
    // It may be read again without a change.
  }, [record.id, record.updated_at, record.deleted_at, JSON.stringify(record.lines)]);
  return (
    <div
      ref={element}
      class="markdown"
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        const anchor = event.target instanceof Element ? event.target.closest('a') : null;
        if (anchor === null || anchor.target !== '' || !anchor.hasAttribute('href')) return;
        event.preventDefault();
        navigate(anchor.getAttribute('href')!);
      }}
    />
  );
}

/** The pages that links of a record lead to. The server knows what links of notes mean; others name a record as a person would. */
function addressesOf({ citation, links, origin }: ShownRecord): (target: string) => string | null {
  const known = new Map(links.map((link) => [link.target, link]));
  return (written) => {
    const hash = written.indexOf('#');
    const [target, heading] = hash === -1 ? [written, ''] : [written.slice(0, hash), written.slice(hash)];
    const link = known.get(target);
    const whole = target === '' ? citation : link === undefined ? target : link.citation;
    if (whole === null || (origin === 'vault' && target !== '' && link === undefined)) return null;
    if (heading === '' && link?.id !== undefined && link.id !== null)
      return href(`/record/${String(link.id)}`);
    return href('/record', { citation: whole + heading });
  };
}

/** Marks the lines that the address cites, and shows them. */
function showLines(element: HTMLElement, { lines, first_line: firstLine }: ShownRecord): void {
  if (lines === null || lines.from <= firstLine) return;
  const blocks = [...element.querySelectorAll<HTMLElement>('[data-line]')];
  const startOf = (block: HTMLElement): number => Number(block.dataset['line']);
  const cited = blocks.filter((block) => startOf(block) >= lines.from && startOf(block) <= lines.to);
  const first = cited[0] ?? blocks.findLast((block) => startOf(block) <= lines.from);
  for (const block of cited.length > 0 ? cited : first === undefined ? [] : [first])
    block.classList.add('cited');
  first?.scrollIntoView({ block: 'center' });
}

const FETCHED_AT_ONCE = 2;
/** How far below and above the window a picture is fetched. */
const MARGIN = '400px';

/** The record that the pictures are in. */
interface PictureSource {
  readonly citation: string;
  readonly origin: string;
}

/** Fetches the pictures that are in the vault when they are near the window, each of them once. Returns what ends it. */
function loadPictures(element: HTMLElement, { citation, origin }: PictureSource): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const addresses: string[] = [];
  /** The places of each picture that is wanted, by its target. */
  const wanted = new Map<string, HTMLElement[]>();
  const addressOf = new Map<string, Promise<string>>();
  let fetching = 0;

  const fetchPicture = async (target: string): Promise<string> => {
    if (origin !== 'vault') throw new Error(t(RECORD.noPictures));
    const { data, media_type: type } = await call('/api/v1/record/image', { citation, target }, { signal });
    signal.throwIfAborted();
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], { type }));
    addresses.push(address);
    return address;
  };
  const show = async (target: string, places: readonly HTMLElement[]): Promise<void> => {
    const address = addressOf.get(target) ?? fetchPicture(target);
    addressOf.set(target, address);
    try {
      const src = await address;
      for (const place of places) place.replaceChildren(imageOf(src, place));
    } catch (error) {
      if (signal.aborted) return;
      for (const place of places) {
        place.classList.add('blocked');
        place.textContent = t(RECORD.failedPicture, { name: target, why: (error as Error).message });
      }
    }
  };
  const next = (): void => {
    for (const [target, places] of wanted) {
      if (fetching >= FETCHED_AT_ONCE || signal.aborted) return;
      wanted.delete(target);
      fetching++;
      void show(target, places).finally(() => {
        fetching--;
        next();
      });
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target: place } of entries) {
        if (!isIntersecting || !(place instanceof HTMLElement)) continue;
        observer.unobserve(place);
        const { image: target = '' } = place.dataset;
        wanted.set(target, [...(wanted.get(target) ?? []), place]);
      }
      next();
    },
    { rootMargin: MARGIN },
  );
  for (const place of element.querySelectorAll('[data-image]')) observer.observe(place);
  return () => {
    controller.abort();
    observer.disconnect();
    for (const address of addresses) URL.revokeObjectURL(address);
  };
}

function imageOf(src: string, place: HTMLElement): HTMLImageElement {
  const image = document.createElement('img');
  image.src = src;
  image.alt = place.dataset['alt'] ?? '';
  return image;
}
