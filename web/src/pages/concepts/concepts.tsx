import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './concepts.css';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { href, Link, navigate } from '../../router.tsx';
import { CONCEPTS } from '../../text/pages/concepts.ts';
import { counted, t } from '../../text/text.ts';
import type { PageProps } from '../pages.ts';
import { ChangeList } from './change-list.tsx';
import { useConceptChanges } from './concept-changes.ts';
import { ConceptPage } from './concept.tsx';
import { Conflicts } from './conflicts.tsx';
import { MergeDialog } from './merge-dialog.tsx';

type List = Output<'/api/v1/concept/list'>;
export type Concept = List['concepts'][number];

const PAGE_SIZE = 50;
/** How long to wait after a key, in milliseconds. */
const TYPING_MS = 120;
const VIEWS = ['all', 'conflicts', 'changes'] as const;

/** The concepts, the conflicts of their names, what was changed, or one of them. */
export function ConceptsPage({ rest, query }: PageProps): JSX.Element {
  if (rest !== '') return <ConceptPage key={rest} id={decodeURIComponent(rest)} />;
  const view = VIEWS.find((each) => each === query.get('view')) ?? 'all';
  return (
    <Page title={t(CONCEPTS.title)} about={t(CONCEPTS.about)} narrow>
      <div class="chips" role="group" aria-label={t(CONCEPTS.views)}>
        {VIEWS.map((each) => (
          <button
            key={each}
            type="button"
            class="chip"
            aria-pressed={each === view}
            onClick={() => navigate(href('/concepts', { view: each === 'all' ? undefined : each }))}
          >
            {t(CONCEPTS[each])}
          </button>
        ))}
      </div>
      {view === 'all' && <ConceptList name={query.get('name') ?? ''} />}
      {view === 'conflicts' && <Conflicts />}
      {view === 'changes' && <AllChanges />}
    </Page>
  );
}

function ConceptList({ name }: { readonly name: string }): JSX.Element {
  const [chosen, setChosen] = useState<readonly Concept[]>([]);
  const [merging, setMerging] = useState(false);
  const part = name.trim();
  const list = usePages(
    (after: string | undefined, signal) =>
      call(
        '/api/v1/concept/list',
        {
          limit: PAGE_SIZE,
          ...(part !== '' && { name: part }),
          ...(after !== undefined && { after }),
        },
        signal === undefined ? {} : { signal },
      ),
    ({ concepts: items, next }: List) => ({ items, next }),
    part,
    part === '' ? 0 : TYPING_MS,
  );
  useConceptChanges(list.reload);
  const toggle = (concept: Concept): void =>
    setChosen((all) =>
      all.some(({ id }) => id === concept.id) ? all.filter(({ id }) => id !== concept.id) : [...all, concept],
    );
  return (
    <>
      <label class="field">
        {t(CONCEPTS.find)}
        <input
          type="search"
          class="input"
          value={name}
          autocomplete="off"
          onInput={({ currentTarget }) =>
            navigate(href('/concepts', { name: currentTarget.value }), { replace: true })
          }
        />
      </label>
      <Loaded request={list}>
        {({ concepts, total }) =>
          concepts.length === 0 ? (
            <Empty title={t(part === '' ? CONCEPTS.emptyTitle : CONCEPTS.noneTitle)}>
              <p>{t(part === '' ? CONCEPTS.empty : CONCEPTS.none)}</p>
            </Empty>
          ) : (
            <>
              <Chosen
                chosen={chosen}
                total={total}
                onMerge={() => setMerging(true)}
                onClear={() => setChosen([])}
              />
              <ul class="concepts card">
                {list.items.map((concept) => (
                  <ConceptRow
                    key={concept.id}
                    concept={concept}
                    chosen={chosen.some(({ id }) => id === concept.id)}
                    onToggle={() => toggle(concept)}
                  />
                ))}
              </ul>
              <More list={list} />
            </>
          )
        }
      </Loaded>
      {merging && (
        <MergeDialog concepts={chosen} onClose={() => setMerging(false)} onMerged={() => setChosen([])} />
      )}
    </>
  );
}

interface ChosenProps {
  readonly chosen: readonly Concept[];
  readonly total: number;
  readonly onMerge: () => void;
  readonly onClear: () => void;
}

function Chosen({ chosen, total, onMerge, onClear }: ChosenProps): JSX.Element {
  const isOneProject = new Set(chosen.map(({ project }) => project)).size <= 1;
  return (
    <div class="row chosen" role="status">
      <span class="quiet-text">
        {chosen.length === 0
          ? `${counted(CONCEPTS.total, total)}. ${t(CONCEPTS.chooseHint)}`
          : t(isOneProject ? CONCEPTS.chosen : CONCEPTS.otherProjects, { n: chosen.length })}
      </span>
      {chosen.length > 1 && isOneProject && (
        <button type="button" class="button primary small" onClick={onMerge}>
          {t(CONCEPTS.merge)}
        </button>
      )}
      {chosen.length > 0 && (
        <button type="button" class="button quiet small" onClick={onClear}>
          {t(CONCEPTS.clear)}
        </button>
      )}
    </div>
  );
}

interface ConceptRowProps {
  readonly concept: Concept;
  readonly chosen: boolean;
  readonly onToggle: () => void;
}

function ConceptRow({ concept, chosen, onToggle }: ConceptRowProps): JSX.Element {
  const { id, label, project, notes } = concept;
  return (
    <li class="concept" data-concept={label}>
      <input
        type="checkbox"
        checked={chosen}
        aria-label={t(CONCEPTS.choose, { label })}
        onChange={onToggle}
      />
      <div>
        <h2>
          <Link to={href(`/concepts/${id}`)}>
            <PlainText text={label} />
          </Link>
        </h2>
        <p class="row separated quiet-text">
          <span>{notes.length === 0 ? t(CONCEPTS.noNotes) : counted(CONCEPTS.notes, notes.length)}</span>
          <span>
            <PlainText text={project} />
          </span>
          <OtherNames concept={concept} />
        </p>
      </div>
    </li>
  );
}

const SHOWN_NAMES = 6;

/** The names of a concept besides its label. */
export function OtherNames({ concept }: { readonly concept: Concept }): JSX.Element | null {
  const others = [...new Set(concept.names.map(({ name }) => name))].filter((each) => each !== concept.label);
  if (others.length === 0) return null;
  const shown = others.slice(0, SHOWN_NAMES).join(', ');
  return (
    <span>
      <PlainText text={t(CONCEPTS.also, { names: others.length > SHOWN_NAMES ? `${shown} …` : shown })} />
    </span>
  );
}

function AllChanges(): JSX.Element {
  const list = usePages(
    (after: number | undefined, signal) =>
      call(
        '/api/v1/concept/changes',
        { limit: PAGE_SIZE, ...(after !== undefined && { after }) },
        signal === undefined ? {} : { signal },
      ),
    ({ changes: items, next }: Output<'/api/v1/concept/changes'>) => ({ items, next }),
    null,
  );
  useConceptChanges(list.reload);
  return (
    <Loaded request={list}>
      {({ total }) =>
        total === 0 ? (
          <Empty title={t(CONCEPTS.noChanges)}>
            <p>{t(CONCEPTS.noChangesHint)}</p>
          </Empty>
        ) : (
          <>
            <ChangeList changes={list.items} />
            <More list={list} />
          </>
        )
      }
    </Loaded>
  );
}
