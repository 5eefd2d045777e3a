import type { JSX } from 'preact';
import { PlainText } from '../../parts/plain-text.tsx';
import { href, Link } from '../../router.tsx';
import { PACKS } from '../../text/pages/packs.ts';
import { t } from '../../text/text.ts';
import type { ShownReceipt, Verdict } from './pack-view.tsx';
import { linesText, nameOf, percent } from './record-names.ts';

const LANES = {
  search: PACKS.viaSearch,
  related: PACKS.viaRelated,
  embeds: PACKS.viaEmbeds,
  graph: PACKS.viaGraph,
} as const;

interface SourcePanelProps {
  /** UUID. */
  readonly record: string;
  readonly shown: ShownReceipt;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly mark: (record: string, verdict: Verdict) => void;
}

/** Where a part of a text is from, why it is there, and whether it was useful. */
export function SourcePanel({ record, shown, verdicts, mark }: SourcePanelProps): JSX.Element {
  const { receipt } = shown;
  const name = nameOf(shown, record);
  const candidate = receipt.candidates.find((each) => each.record === record);
  const pieces = receipt.pieces.filter((piece) => piece.record === record && piece.field === 'content');
  const level = pieces.find((piece) => piece.level !== 'L0')?.level ?? pieces[0]?.level;
  const from = Math.min(...pieces.map(({ lines }) => lines.from));
  const to = Math.max(...pieces.map(({ lines }) => lines.to));
  const lane = candidate?.lane ?? '';
  return (
    <aside class="source card" aria-label={t(PACKS.source)}>
      <p class="quiet-text">{t(PACKS.source)}</p>
      <h3>
        {name === undefined ? (
          t(PACKS.deletedRecord)
        ) : (
          <Link to={href(`/record/${String(name.id)}`)}>
            <PlainText text={name.title} />
          </Link>
        )}
      </h3>
      <ul class="source-facts">
        {name !== undefined && (
          <li class="citation">
            <PlainText text={name.citation} />
          </li>
        )}
        {pieces.length > 0 && (
          <li>
            {linesText({ from, to })}
            {level !== undefined && `, ${t(PACKS[`level_${level}`])}`}
          </li>
        )}
        {candidate !== undefined && (
          <li>
            {lane in LANES ? t(LANES[lane as keyof typeof LANES]) : t(PACKS.viaOther, { lane })},{' '}
            {t(PACKS.confidence, { percent: percent(candidate.score) })}
          </li>
        )}
        {(candidate?.path ?? null) !== null && (
          <li>
            <Link to={href('/graph', { receipt: receipt.id, item: record })}>{t(PACKS.path)}</Link>
          </li>
        )}
      </ul>
      <div class="row">
        {(['useful', 'not-useful'] as const).map((verdict) => (
          <button
            key={verdict}
            type="button"
            class="chip"
            aria-pressed={verdicts.get(record) === verdict}
            onClick={() => mark(record, verdict)}
          >
            {t(verdict === 'useful' ? PACKS.useful : PACKS.notUseful)}
          </button>
        ))}
      </div>
      <p class="quiet-text wide-only">{t(PACKS.markHint)}</p>
      <p class="quiet-text wide-only">{t(PACKS.sourceHint)}</p>
    </aside>
  );
}
