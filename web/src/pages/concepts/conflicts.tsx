import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { More } from '../../parts/more.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { href, Link } from '../../router.tsx';
import { CONCEPTS } from '../../text/pages/concepts.ts';
import { t } from '../../text/text.ts';
import { useConceptChanges } from './concept-changes.ts';
import { MergeDialog } from './merge-dialog.tsx';

type Page = Output<'/api/v1/concept/conflicts'>;
type Conflict = Page['conflicts'][number];

const PAGE_SIZE = 20;

/** Names that several notes claim, and a way to say that they mean one thing. */
export function Conflicts(): JSX.Element {
  const [merging, setMerging] = useState<Conflict>();
  const list = usePages(
    (after: number | undefined, signal) =>
      call(
        '/api/v1/concept/conflicts',
        { limit: PAGE_SIZE, ...(after !== undefined && { after }) },
        signal === undefined ? {} : { signal },
      ),
    ({ conflicts: items, next }: Page) => ({ items, next }),
    null,
  );
  useConceptChanges(list.reload);
  return (
    <Loaded request={list}>
      {({ total }) =>
        total === 0 ? (
          <Empty title={t(CONCEPTS.noConflicts)}>
            <p>{t(CONCEPTS.noConflictsHint)}</p>
          </Empty>
        ) : (
          <>
            <p>{t(CONCEPTS.conflictsAbout)}</p>
            <ul class="stack">
              {list.items.map((conflict) => (
                <ConflictCard
                  key={`${conflict.project}/${conflict.name}`}
                  conflict={conflict}
                  onMerge={() => setMerging(conflict)}
                />
              ))}
            </ul>
            <More list={list} />
            {merging !== undefined && (
              <MergeDialog concepts={conceptsOf(merging)} onClose={() => setMerging(undefined)} />
            )}
          </>
        )
      }
    </Loaded>
  );
}

/** The concepts of the notes, each with the title of its first note. */
function conceptsOf({ notes, project }: Conflict): { id: string; label: string; project: string }[] {
  const labels = new Map(notes.toReversed().map(({ concept, title }) => [concept, title]));
  return [...labels].reverse().map(([id, label]) => ({ id, label, project }));
}

interface ConflictCardProps {
  readonly conflict: Conflict;
  readonly onMerge: () => void;
}

function ConflictCard({ conflict, onMerge }: ConflictCardProps): JSX.Element {
  const { name, project, notes } = conflict;
  return (
    <li class="card conflict" data-conflict={name}>
      <div class="row">
        <h2>
          <PlainText text={name} />
        </h2>
        <span class="quiet-text">
          <PlainText text={project} />
        </span>
      </div>
      <ul class="records">
        {notes.map(({ id, title, citation, concept }) => (
          <li key={id} class="row">
            <Link to={href(`/record/${String(id)}`)}>
              <PlainText text={title} />
            </Link>
            <span class="quiet-text citation">
              <PlainText text={citation} />
            </span>
            <Link to={href(`/concepts/${concept}`)}>{t(CONCEPTS.itsConcept)}</Link>
          </li>
        ))}
      </ul>
      {conceptsOf(conflict).length > 1 && (
        <div>
          <button type="button" class="button small" onClick={onMerge}>
            {t(CONCEPTS.mergeNotes)}
          </button>
        </div>
      )}
    </li>
  );
}
