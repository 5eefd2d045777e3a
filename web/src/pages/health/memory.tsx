import type { JSX } from 'preact';
import type { Output } from '../../api/client.ts';
import { Fact, Section } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { HEALTH } from '../../text/pages/health.ts';
import { counted, formatBytes, formatDuration, formatNumber, language, t } from '../../text/text.ts';
import { ActionButton } from './repairs.tsx';

type Status = Output<'/api/v1/status'>;
type Embedding = Status['embedding'];

type Origin = 'vault' | 'memory' | 'fact' | 'source' | 'audit';

const PERCENT = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });

/** What this memory has, by origin, with bars as long as their shares. */
export function Holds({ status }: { readonly status: Status }): JSX.Element {
  const { records, passages, terms, by_origin: byOrigin, store } = status;
  const origins = Object.entries(byOrigin) as [Origin, number][];
  return (
    <Section title={t(HEALTH.holds)}>
      <dl class="facts">
        <Fact title={t(HEALTH.records)}>{formatNumber(records)}</Fact>
        {origins.map(([origin, n]) => (
          <Fact key={origin} title={`– ${t(HEALTH[origin])}`}>
            <span class="share">
              <span class="number">{formatNumber(n)}</span>
              <span class="bar">
                <span style={{ width: `${String((100 * n) / Math.max(1, records))}%` }} />
              </span>
            </span>
          </Fact>
        ))}
        <Fact title={t(HEALTH.passages)}>{formatNumber(passages)}</Fact>
        <Fact title={t(HEALTH.words)}>{formatNumber(terms)}</Fact>
        <Fact title={t(HEALTH.store)}>
          {store.driver}
          {store.bytes !== null && ` · ${t(HEALTH.onDisk, { size: formatBytes(store.bytes) })}`}
          <br />
          <span class="quiet-text">
            <PlainText text={store.path} />
          </span>
        </Fact>
      </dl>
    </Section>
  );
}

interface EmbeddingProps {
  readonly embedding: Embedding;
  readonly onDone: () => void;
}

/** The model of searches, what it has not embedded yet, and a change of it that is under way. */
export function EmbeddingState({ embedding, onDone }: EmbeddingProps): JSX.Element {
  const { configured, model, vectors, pending, change, running_in: process, left_ms: left } = embedding;
  const total = vectors + pending;
  if (configured === 'none' && model === null)
    return (
      <Section title={t(HEALTH.embedding)}>
        <p class="quiet-text">{t(HEALTH.noModel)}</p>
      </Section>
    );
  return (
    <Section title={t(HEALTH.embedding)}>
      <dl class="facts">
        <Fact title={t(HEALTH.model)}>
          <PlainText text={model ?? t(HEALTH.noVectors)} />
        </Fact>
        <Fact title={t(HEALTH.embedded)}>
          <span class="share">
            <span>{t(HEALTH.embeddedOf, { done: vectors, total })}</span>
            <span class="bar">
              <span style={{ width: `${String((100 * vectors) / Math.max(1, total))}%` }} />
            </span>
          </span>
        </Fact>
        <Fact title={t(HEALTH.backlog)}>
          {[
            pending === 0 ? t(HEALTH.backlogNone) : counted(HEALTH.backlogTexts, pending),
            ...(process === null ? [] : [t(HEALTH.runningIn, { process })]),
            ...(left === null ? [] : [t(HEALTH.left, { time: formatDuration(left) })]),
          ].join(' · ')}
        </Fact>
      </dl>
      {embedding.other_languages !== null && (
        <p class="quiet-text">
          {t(HEALTH.otherLanguages, { percent: PERCENT.format(embedding.other_languages) })}
        </p>
      )}
      {change === null ? (
        pending > 0 && (
          <ActionButton name="embed-backfill" path="/api/v1/embed/backfill" input={{}} onDone={onDone} />
        )
      ) : (
        <ModelChange change={change} onDone={onDone} />
      )}
    </Section>
  );
}

interface ModelChangeProps {
  readonly change: NonNullable<Embedding['change']>;
  readonly onDone: () => void;
}

function ModelChange({ change, onDone }: ModelChangeProps): JSX.Element {
  const { from, to, texts, embedded } = change;
  return (
    <div class="card change">
      <h3>
        <PlainText text={t(HEALTH.changing, { model: to.model })} />
      </h3>
      <p>
        <PlainText text={t(HEALTH.changeProgress, { done: embedded, total: texts, from: from.model })} />
      </p>
      <ActionButton name="embed-backfill" path="/api/v1/embed/backfill" input={{}} onDone={onDone} />
    </div>
  );
}
