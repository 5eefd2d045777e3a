import type { JSX } from 'preact';
import { Empty } from '../../parts/states.tsx';
import { href, Link } from '../../router.tsx';
import { RECORDS } from '../../text/pages/records.ts';
import { t } from '../../text/text.ts';

interface NoRecordsProps {
  /** The path of the page. */
  readonly path: string;
  readonly filtered: boolean;
}

/** Why a list of records is empty, and what to do. */
export function NoRecords({ path, filtered }: NoRecordsProps): JSX.Element {
  return (
    <Empty title={t(RECORDS.emptyTitle)}>
      <p>{t(filtered ? RECORDS.emptyFiltered : RECORDS.empty)}</p>
      {!filtered && <code class="command">loci index ~/notes</code>}
      {filtered && (
        <Link class="button" to={href(path)}>
          {t(RECORDS.clear)}
        </Link>
      )}
    </Empty>
  );
}
