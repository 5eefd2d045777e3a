import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { withoutHidden } from './hidden-characters.ts';
import { PlainText } from './plain-text.tsx';

interface PageProps {
  readonly title: string;
  /** One sentence that says what the page is for. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** For pages that are mostly text. */
  readonly narrow?: boolean;
  readonly children: ComponentChildren;
}

let unseen = 0;
let pageTitle = '';

/** How many changes nobody has looked at, shown before the title of the document. */
export function setUnseen(count: number): void {
  unseen = count;
  showTitle();
}

function showTitle(): void {
  document.title = `${unseen > 0 ? `(${String(unseen)}) ` : ''}${pageTitle === '' ? '' : `${pageTitle} · `}Loci`;
}

/** The head of a page and its content. It also sets the title of the document. */
export function Page({ title, about, actions, narrow = false, children }: PageProps): JSX.Element {
  useEffect(() => {
    pageTitle = withoutHidden(title);
    showTitle();
  }, [title]);
  return (
    <div class={narrow ? 'page narrow' : 'page'}>
      <header class="page-head">
        <div class="title">
          <h1>
            <PlainText text={title} />
          </h1>
          {about !== undefined && <p>{about}</p>}
        </div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface BarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly class?: string;
}

/** A bar as long as a share, for the eye alone: the number stands beside it. */
export function Bar({ share, class: kind = '' }: BarProps): JSX.Element {
  return (
    <span class={`bar ${kind}`} aria-hidden="true">
      <span style={{ width: `${String(100 * Math.min(1, Math.max(0, share)))}%` }} />
    </span>
  );
}

interface SectionProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading. */
export function Section({ title, children }: SectionProps): JSX.Element {
  return (
    <section class="section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A line of a list of facts (`<dl class="facts">`). */
export function Fact({ title, children }: SectionProps): JSX.Element {
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  );
}
