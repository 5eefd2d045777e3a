import { call } from '../../api/client.ts';
import { RECORD } from '../../text/pages/record.ts';
import { t } from '../../text/text.ts';

const FETCHED_AT_ONCE = 2;
/** How far below and above the window a picture is fetched. */
const MARGIN = '400px';

/** The record that the pictures are in. */
interface PictureSource {
  readonly citation: string;
  readonly origin: string;
}

/** Fetches the pictures that are in the vault when they are near the window, each of them once. Returns what ends it. */
export function loadPictures(element: HTMLElement, { citation, origin }: PictureSource): () => void {
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
