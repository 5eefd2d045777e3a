import type { ComponentChildren, JSX } from 'preact';
import { PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { formatAgo, t } from '../../text/text.ts';
import { FILTERS, TRUST } from '../../text/shell.ts';
import type { ShownRecord } from './markdown-view.tsx';

/** Where the record comes from, who wrote it, its tags and its front matter. */
export function Properties({ record }: { readonly record: ShownRecord }): JSX.Element {
  const { source, url, expires_at: expiresAt, aliases, file, path, changed_by: changedBy } = record;
  const place = file ?? path;
  return (
    <section class="record-part list">
      <h2>{t(RECORD.properties)}</h2>
      <dl class="properties tight">
        <Row name={t(FILTERS.from)}>
          <Link to={href('/records', { source })}>
            <PlainText text={record.from ?? record.source_name} />
          </Link>
        </Row>
        <Row name={t(FILTERS.trust)}>{t(TRUST[record.trust])}</Row>
        <Row name={t(RECORD.created)}>
          <Time iso={record.created_at} age={record.age} />
        </Row>
        <Row name={t(RECORD.updated)}>
          <Time iso={record.updated_at} />
        </Row>
        {expiresAt !== null && <Row name="">{t(RECORD.expires, { ago: formatAgo(expiresAt) })}</Row>}
        <Row name={t(FILTERS.project)}>
          <Link to={href('/records', { project: record.project })}>
            <PlainText text={record.project} />
          </Link>
        </Row>
        {record.record_type !== 'note' && (
          <Row name={t(FILTERS.type)}>
            <PlainText text={record.record_type} />
          </Row>
        )}
        {record.category !== 'note' && (
          <Row name={t(FILTERS.category)}>
            <PlainText text={record.category} />
          </Row>
        )}
        {record.tags.length > 0 && (
          <Row name={t(RECORD.tags)}>
            <ul class="tags">
              {record.tags.map((tag) => (
                <li key={tag}>
                  <Link class="label" to={href('/records', { tag })}>
                    <PlainText text={`#${tag}`} />
                  </Link>
                </li>
              ))}
            </ul>
          </Row>
        )}
        {aliases.length > 0 && (
          <Row name={t(RECORD.aliases)}>
            <PlainText text={aliases.join(', ')} />
          </Row>
        )}
        {Object.entries(record.properties).map(([name, value]) => (
          <Row key={name} name={name}>
            <PlainText text={valueText(value)} />
          </Row>
        ))}
        {url !== undefined && /^https?:/i.test(url) && (
          <Row name={t(RECORD.page)}>
            <a href={url} target="_blank" rel="noopener noreferrer">
              <PlainText text={url} />
            </a>
          </Row>
        )}
        {place !== null && (
          <Row name={t(RECORD.file)}>
            <PlainText text={place} />
          </Row>
        )}
        <Row name={t(RECORD.citation)}>
          <code>
            <PlainText text={record.citation} />
          </code>
        </Row>
      </dl>
      {changedBy === 'file' && <p class="quiet-text">{t(RECORD.changedInFile)}</p>}
      {changedBy === 'source' && <p class="quiet-text">{t(RECORD.changedInSource)}</p>}
    </section>
  );
}

function Row({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>
        <PlainText text={name} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}
