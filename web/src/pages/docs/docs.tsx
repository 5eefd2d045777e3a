import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import './docs.css';
import { send } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { href, navigate } from '../../router.tsx';
import { DOCS } from '../../text/pages/docs.ts';
import { counted, t } from '../../text/text.ts';
import type { PageProps } from '../pages.ts';
import {
  type ApiDocument,
  type ApiOperation,
  curl,
  objectIn,
  operationsOf,
  type Schema,
  typeText,
} from './api-document.ts';
import { Description, Fields } from './fields.tsx';

const DOCUMENT = '/api/v1/openapi.json';

/** The OpenAPI document for people. It needs no session, because the document is the same for everybody. */
export function DocsPage({ rest, query }: PageProps): JSX.Element {
  const request = useRequest(async (signal) => {
    const document = (await (await send(DOCUMENT, { signal })).json()) as ApiDocument;
    return { operations: operationsOf(document), schemas: document.components.schemas };
  }, null);
  const text = query.get('q') ?? '';
  return (
    <Page
      title={t(DOCS.title)}
      about={t(DOCS.about)}
      narrow
      actions={
        <a class="button" href={DOCUMENT}>
          {t(DOCS.document)}
        </a>
      }
    >
      <input
        type="search"
        class="input"
        value={text}
        placeholder={t(DOCS.search)}
        aria-label={t(DOCS.search)}
        autocomplete="off"
        onInput={({ currentTarget }) =>
          navigate(href('/docs', { q: currentTarget.value }), { replace: true })
        }
      />
      <Loaded request={request}>
        {({ operations, schemas }) => (
          <Operations operations={matching(operations, text)} schemas={schemas} opened={rest} />
        )}
      </Loaded>
    </Page>
  );
}

/** The operations that have all of the words. */
function matching(operations: readonly ApiOperation[], text: string): ApiOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => words.every((word) => operation.text.includes(word)));
}

interface OperationsProps {
  readonly operations: readonly ApiOperation[];
  readonly schemas: ApiDocument['components']['schemas'];
  /** The id of the operation that is shown unfolded. */
  readonly opened: string;
}

function Operations({ operations, schemas, opened }: OperationsProps): JSX.Element {
  if (operations.length === 0)
    return (
      <Empty title={t(DOCS.none)}>
        <p>{t(DOCS.noneAbout)}</p>
      </Empty>
    );
  const nouns = Map.groupBy(operations, ({ path }) => path.split('/')[3] ?? '');
  return (
    <>
      <p class="quiet-text" role="status">
        {counted(DOCS.count, operations.length)}
      </p>
      {[...nouns].map(([noun, all]) => (
        <section key={noun} class="section">
          <h2>{noun}</h2>
          <ul class="api-operations card">
            {all.map((operation) => (
              <OperationRow
                key={operation.id}
                operation={operation}
                schemas={schemas}
                isOpened={operation.id === opened || operations.length === 1}
                isNamed={operation.id === opened}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

interface OperationRowProps extends Pick<OperationsProps, 'schemas'> {
  readonly operation: ApiOperation;
  readonly isOpened: boolean;
  /** Whether the address names it. */
  readonly isNamed: boolean;
}

function OperationRow({ operation, schemas, isOpened, isNamed }: OperationRowProps): JSX.Element {
  const { id, path, methods, summary, isOfPage } = operation;
  const [toggled, setToggled] = useState<boolean | null>(null);
  const isOpen = toggled ?? isOpened;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isNamed) row.current?.scrollIntoView();
  }, [isNamed]);
  return (
    <li id={id} ref={row}>
      <button type="button" class="api-head" aria-expanded={isOpen} onClick={() => setToggled(!isOpen)}>
        <span class="api-methods">{methods}</span>
        <code>{path}</code>
        <span class="quiet-text">{summary}</span>
        {isOfPage && <span class="label">{t(DOCS.onPage)}</span>}
      </button>
      {isOpen && <Details operation={operation} schemas={schemas} />}
    </li>
  );
}

function Details({ operation, schemas }: Pick<OperationRowProps, 'operation' | 'schemas'>): JSX.Element {
  const { description, scope, isOfPage, input, output, examples } = operation;
  return (
    <div class="api-details">
      <Description text={description} />
      {!isOfPage && <p class="quiet-text">{t(DOCS.scope, { scope })}</p>}
      {input !== null && (
        <>
          <h3>{t(DOCS.fields)}</h3>
          {Object.keys(input.properties ?? {}).length === 0 ? (
            <p class="quiet-text">{t(DOCS.noFields)}</p>
          ) : (
            <Fields schema={input} schemas={schemas} name={t(DOCS.fields)} isRequest />
          )}
        </>
      )}
      {output !== null && <Answer output={output} schemas={schemas} />}
      {examples.length > 0 && !isOfPage && <h3>{t(DOCS.examples)}</h3>}
      {!isOfPage &&
        examples.map(({ title, body }) => (
          <Example key={title} title={title} command={curl(location.origin, operation, body)} />
        ))}
    </div>
  );
}

function Answer({
  output,
  schemas,
}: { readonly output: Schema } & Pick<OperationsProps, 'schemas'>): JSX.Element {
  const object = objectIn(output, schemas);
  return (
    <>
      <h3>{t(DOCS.answer)}</h3>
      {object === null ? (
        <code class="api-type">{typeText(output, schemas)}</code>
      ) : (
        <Fields schema={object} schemas={schemas} name={t(DOCS.answer)} />
      )}
    </>
  );
}

function Example({ title, command }: { readonly title: string; readonly command: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="api-example">
      <div class="row">
        <span class="quiet-text">{title}</span>
        <button
          type="button"
          class="button quiet small"
          onClick={() => void navigator.clipboard.writeText(command).then(() => setCopied(true))}
        >
          {t(isCopied ? DOCS.copied : DOCS.copy)}
        </button>
      </div>
      <pre class="command" tabIndex={0}>
        {command}
      </pre>
    </div>
  );
}
