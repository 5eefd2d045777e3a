import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { DOCS } from '../../text/pages/docs.ts';
import { t } from '../../text/text.ts';
import { type ApiDocument, objectIn, resolved, type Schema, typeText } from './api-document.ts';

interface FieldsProps {
  readonly schema: Schema;
  readonly schemas: ApiDocument['components']['schemas'];
  readonly name: string;
  /** Whether they are those of a request, in which some must be given. */
  readonly isRequest?: boolean;
}

/** The fields of an object. Those of an object in it are shown on demand, because schemas may refer to themselves. */
export function Fields({ schema, schemas, name, isRequest = false }: FieldsProps): JSX.Element {
  const { properties = {}, required = [] } = schema;
  return (
    <dl class="api-fields" aria-label={name}>
      {Object.entries(properties).map(([field, own]) => (
        <div key={field}>
          <dt>
            <code>{field}</code>{' '}
            {isRequest && required.includes(field) && <span class="label">{t(DOCS.required)}</span>}
          </dt>
          <dd>
            <code class="api-type">{typeText(own, schemas)}</code>
            <Description text={own.description ?? resolved(own, schemas).description ?? ''} />
            <Nested schema={own} schemas={schemas} name={field} isRequest={isRequest} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Nested({ schema, ...props }: FieldsProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const inner = objectIn(schema, props.schemas);
  if (inner === null) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t(DOCS.within)}</summary>
      {isOpen && <Fields schema={inner} {...props} />}
    </details>
  );
}

/** A text in which backticks mark code. */
export function Description({ text }: { readonly text: string }): JSX.Element | null {
  if (text === '') return null;
  return <p>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</p>;
}
