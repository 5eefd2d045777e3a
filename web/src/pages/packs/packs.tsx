import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, type Input, type Output } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Checkbox, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { href, Link, navigate, type PageProps } from '../../router.tsx';
import { PACKS } from '../../text/pages/packs.ts';
import { Notices } from '../../parts/plain-text.tsx';
import { t } from '../../text/text.ts';
import { LeftOut, type Block, PackView } from './pack-view.tsx';
import { SHELL } from '../../text/shell.ts';
import type { ShownReceipt } from './record-names.ts';

type Pack = Output<'/api/v1/memory/pack'>;
type Asked = Input<'/api/v1/memory/pack'>;

const BUDGET = { default: 2000, max: 20_000 };

/** Asks for a pack and shows it as a model reads it. What is asked is in the address. */
export function PacksPage({ query }: PageProps): JSX.Element {
  const asked = askedIn(query);
  const request = useRequest(async (signal) => (asked.query === '' ? null : made(asked, signal)), asked);
  return (
    <Page title={t(SHELL.packs)} about={t(PACKS.about)}>
      <PackForm key={JSON.stringify(asked)} asked={asked} />
      {asked.query === '' ? (
        <Empty title={t(PACKS.emptyTitle)}>
          <p>{emptyText()}</p>
        </Empty>
      ) : (
        <Loaded request={request.loading ? { ...request, data: undefined, error: undefined } : request}>
          {(data) => data !== null && <MadePack {...data} />}
        </Loaded>
      )}
    </Page>
  );
}

function emptyText(): JSX.Element {
  const [before, after] = t(PACKS.empty).split('{receipts}');
  return (
    <>
      {before}
      <Link to={href('/receipts')}>{t(SHELL.receipts)}</Link>
      {after}
    </>
  );
}

function askedIn(query: URLSearchParams): Asked {
  const budget = Math.round(Number(query.get('budget') ?? BUDGET.default));
  const project = query.get('project') ?? '';
  return {
    query: (query.get('q') ?? '').trim(),
    budget: budget >= 1 && budget <= BUDGET.max ? budget : BUDGET.default,
    ...(project !== '' && { project }),
    ...(query.get('graph') === '1' && { use_graph: true }),
    ...(query.get('cross') === '1' && { allow_cross_project: true }),
  };
}

/** A pack with what its receipt says, also where that could not be stored. */
async function made(
  asked: Asked,
  signal: AbortSignal,
): Promise<{ readonly pack: Pack; readonly shown: ShownReceipt }> {
  const pack = await call('/api/v1/memory/pack', { ...asked, trace: true }, { signal });
  const receipt = pack.receipt!;
  const shown =
    pack.receipt_id === null
      ? { receipt, records: [], texts: null }
      : await call('/api/v1/receipt/show', { id: pack.receipt_id }, { signal });
  return { pack, shown };
}

function MadePack({ pack, shown }: { readonly pack: Pack; readonly shown: ShownReceipt }): JSX.Element {
  return (
    <>
      {pack.missing.map(({ signal, why }) => (
        <p class="quiet-text" key={signal}>
          {t(PACKS.missing, { signal: t(PACKS[signal]), why })}
        </p>
      ))}
      <Notices notices={pack.notices} />
      {pack.empty !== null && (
        <Empty title={t(PACKS.nothingTitle)}>
          <p>{t(PACKS.nothing)}</p>
          <p class="quiet-text">{pack.empty}</p>
        </Empty>
      )}
      {pack.empty === null ? (
        <PackView
          blocks={blocksOf(pack)}
          shown={shown}
          query={pack.query}
          title={t(PACKS.asModel)}
          text={pack.text}
        />
      ) : (
        <LeftOut shown={shown} />
      )}
    </>
  );
}

/** The lines of each record, and those around them. */
function blocksOf({ text, items, receipt }: Pack): Block[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const uuids = new Map(receipt?.pieces.map(({ id, record }) => [id, record]));
  const blocks: Block[] = [];
  let next = 1;
  const frameTo = (line: number): void => {
    const between = lines.slice(next - 1, line - 1).join('\n');
    if (between.trim() !== '') blocks.push({ record: null, text: between.trim() });
  };
  for (const { id, lines: own } of items) {
    frameTo(own.from);
    blocks.push({ record: uuids.get(id) ?? null, text: lines.slice(own.from - 1, own.to).join('\n') });
    next = own.to + 1;
  }
  frameTo(lines.length + 1);
  return blocks;
}

function PackForm({ asked }: { readonly asked: Asked }): JSX.Element {
  const [text, setText] = useState(asked.query);
  const [budget, setBudget] = useState(String(asked.budget));
  const [project, setProject] = useState(asked.project ?? '');
  const [useGraph, setUseGraph] = useState(asked.use_graph ?? false);
  const [cross, setCross] = useState(asked.allow_cross_project ?? false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (asked.query === '') field.current?.focus();
  }, []);
  const isChanged = project !== '' || useGraph || cross;
  return (
    <form
      class="stack pack-form"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(
          href('/packs', {
            q: text.trim(),
            budget: Number(budget) === BUDGET.default ? undefined : budget,
            project,
            graph: useGraph ? '1' : undefined,
            cross: useGraph && cross ? '1' : undefined,
          }),
        );
      }}
    >
      <div class="pack-fields">
        <label class="field wide">
          {t(PACKS.query)}
          <input
            ref={field}
            class="input"
            value={text}
            placeholder={t(PACKS.placeholder)}
            required
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <label class="field">
          {t(PACKS.budget)}
          <input
            class="input"
            type="number"
            min={1}
            max={BUDGET.max}
            value={budget}
            onInput={({ currentTarget }) => setBudget(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary">
          {t(PACKS.make)}
        </button>
      </div>
      <details open={isChanged}>
        <summary>{t(PACKS.options)}</summary>
        <div class="stack options">
          <TextField label={t(PACKS.project)} value={project} onChange={setProject} />
          <Checkbox label={t(PACKS.useGraph)} checked={useGraph} onChange={setUseGraph} />
          <Checkbox label={t(PACKS.crossProject)} checked={cross} disabled={!useGraph} onChange={setCross} />
        </div>
      </details>
    </form>
  );
}
