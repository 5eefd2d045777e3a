import type { ComponentChildren, JSX } from 'preact';

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
