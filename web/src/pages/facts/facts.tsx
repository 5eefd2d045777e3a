import type { JSX } from 'preact';
import { SelectField } from '../../parts/form.tsx';
import { useState } from 'preact/hooks';
import './facts.css';
import { call, type Input, type Output } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { usePages } from '../../api/use-pages.ts';
import { useRequest } from '../../api/use-request.ts';
import { Chip } from '../../parts/chips.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded, More } from '../../parts/states.tsx';
import { href, navigate, type PageProps } from '../../router.tsx';
import { FACTS } from '../../text/pages/facts.ts';
import { counted, t } from '../../text/text.ts';
import { useFactChanges } from './changes.ts';
import { FactForm } from './fact-form.tsx';
import { FILTERS, SHELL } from '../../text/shell.ts';
import { FactRow } from './fact-row.tsx';

type List = Output<'/api/v1/memory/list'>;

type Sort = NonNullable<Input<'/api/v1/memory/list'>['sort']>;

const PAGE_SIZE = 50;
/** How long to wait after a key, in milliseconds. */
const TYPING_MS = 120;

/** The facts, by category and key. What is shown is in the address. */
export function FactsPage({ query }: PageProps): JSX.Element {
  const [category, prefix] = [query.get('category') ?? '', query.get('key') ?? ''];
  const sort: Sort = query.get('sort') === 'newest' ? 'newest' : 'expires';
  const [adding, setAdding] = useState(false);
  const asked = {
    limit: PAGE_SIZE,
    sort,
    ...(category !== '' && { category }),
    ...(prefix !== '' && { prefix }),
  } satisfies Input<'/api/v1/memory/list'>;
  const list = usePages(
    (after: number | undefined, signal) =>
      call('/api/v1/memory/list', { ...asked, ...(after !== undefined && { after }) }, { signal }),
    ({ facts: items, next }: List) => ({ items, next }),
    asked,
    prefix === '' ? 0 : TYPING_MS,
  );
  const categories = useRequest((signal) => call('/api/v1/memory/categories', {}, { signal }), null);
  const reload = (): void => {
    list.reload();
    categories.reload();
  };
  useChanges(({ kinds }) => {
    if (kinds.includes('facts') || kinds.includes('records')) reload();
  });
  const changes = useFactChanges(reload);
  const names = categories.data?.categories ?? [];
  return (
    <Page
      title={t(SHELL.facts)}
      about={t(FACTS.about)}
      narrow
      actions={
        !adding && (
          <button type="button" class="button primary" onClick={() => setAdding(true)}>
            {t(FACTS.add)}
          </button>
        )
      }
    >
      {adding && (
        <FactForm
          categories={names.map(({ name }) => name)}
          category={category}
          onSave={async (fields) => {
            await changes.store(fields);
            setAdding(false);
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {names.length > 0 && <Choice categories={names} {...{ category, prefix, sort }} />}
      <Loaded request={list}>
        {({ facts, total }) =>
          facts.length === 0 ? (
            <NoFacts filtered={category !== '' || prefix !== ''} />
          ) : (
            <>
              <p class="quiet-text" role="status">
                {counted(FACTS.total, total)}
              </p>
              <ul class="facts-list card">
                {list.items.map((fact) => (
                  <FactRow key={fact.id} fact={fact} changes={changes} />
                ))}
              </ul>
              <More list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface ChoiceProps {
  readonly categories: Output<'/api/v1/memory/categories'>['categories'];
  readonly category: string;
  readonly prefix: string;
  readonly sort: Sort;
}

/** Which facts are shown, and in which order. */
function Choice({ categories, category, prefix, sort }: ChoiceProps): JSX.Element {
  const show = (next: Readonly<Record<string, string>>): void =>
    navigate(href('/facts', { category, key: prefix, sort: sort === 'expires' ? '' : sort, ...next }), {
      replace: true,
    });
  return (
    <div class="stack">
      <div class="row facts-find">
        <label class="field wide">
          {t(FACTS.find)}
          <input
            type="search"
            class="input"
            value={prefix}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => show({ key: currentTarget.value })}
          />
        </label>
        <SelectField
          label={t(FACTS.sort)}
          value={sort}
          options={[
            ['expires', t(FACTS.expires)],
            ['newest', t(FACTS.newest)],
          ]}
          onChange={(value) => show({ sort: value === 'expires' ? '' : value })}
        />
      </div>
      <div class="chips" role="group" aria-label={t(FACTS.categories)}>
        {[{ name: '', count: 0 }, ...categories].map(({ name, count }) => (
          <Chip
            key={name}
            name={name === '' ? t(FILTERS.any) : name}
            isOn={name === category}
            {...(name !== '' && { count })}
            onClick={() => show({ category: name })}
          />
        ))}
      </div>
    </div>
  );
}

function NoFacts({ filtered }: { readonly filtered: boolean }): JSX.Element {
  return (
    <Empty title={t(filtered ? FACTS.noneTitle : FACTS.emptyTitle)}>
      <p>{t(filtered ? FACTS.none : FACTS.empty)}</p>
    </Empty>
  );
}
