import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Output } from '../../api/client.ts';
import { Message, PlainText } from '../../parts/plain-text.tsx';
import { HEALTH } from '../../text/pages/health.ts';
import { counted, t } from '../../text/text.ts';
import { RepairButton } from './repairs.tsx';

type Check = Output<'/api/v1/doctor'>['checks'][number];

interface FindingsProps {
  readonly checks: readonly Check[];
  readonly onDone: () => void;
}

/** What `doctor` found: what failed first, and what is in order on demand. */
export function Findings({ checks, onDone }: FindingsProps): JSX.Element {
  const of = (result: Check['result']): Check[] => checks.filter((check) => check.result === result);
  const [failed, warnings, passed] = [of('failed'), of('warning'), of('ok')];
  return (
    <>
      <p class="row" role="status">
        {failed.length > 0 && <span class="label bad">{counted(HEALTH.failedCount, failed.length)}</span>}
        {warnings.length > 0 && (
          <span class="label warn">{counted(HEALTH.warningCount, warnings.length)}</span>
        )}
        {failed.length + warnings.length === 0 && <span class="label good">{t(HEALTH.allGood)}</span>}
      </p>
      <ul class="findings">
        {[...failed, ...warnings].map((check) => (
          <FindingCard key={`${check.name} ${check.detail}`} check={check} onDone={onDone} />
        ))}
      </ul>
      <details>
        <summary>{counted(HEALTH.okCount, passed.length)}</summary>
        <ul class="passed">
          {passed.map((check) => (
            <li key={`${check.name} ${check.detail}`}>
              <strong>
                <PlainText text={check.name} />
              </strong>{' '}
              <PlainText text={check.detail} />
              {check.repair !== undefined && <RepairButton repair={check.repair} onDone={onDone} />}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function FindingCard({
  check,
  onDone,
}: { readonly check: Check } & Pick<FindingsProps, 'onDone'>): JSX.Element {
  const { name, result, detail, hint, repair } = check;
  const [first = '', ...more] = detail.split('\n');
  return (
    <li class="finding card">
      <div class="row">
        <span class={result === 'failed' ? 'label bad' : 'label warn'}>{t(HEALTH[result])}</span>
        <h3>
          <PlainText text={name} />
        </h3>
      </div>
      <p>
        <Message text={first} />
      </p>
      {more.length > 0 && (
        <details>
          <summary>{t(HEALTH.details)}</summary>
          <ul class="problem-lines">
            {more.map((line) => (
              <li key={line}>
                <Message text={line} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {repair !== undefined && <RepairButton repair={repair} onDone={onDone} />}
      {repair === undefined && hint !== null && <Hint hint={hint} />}
    </li>
  );
}

/** What to do, and the command in it to copy. */
function Hint({ hint }: { readonly hint: string }): JSX.Element {
  const commands = [...hint.matchAll(/`(loci [^`]+)`|(loci [^`]+)$|Run: (.+)$/g)].map(
    ([, quoted, last, other]) => quoted ?? last ?? other ?? '',
  );
  return (
    <>
      <p class="quiet-text">
        <PlainText text={hint} />
      </p>
      {commands.map((command) => (
        <Copyable key={command} text={command} />
      ))}
    </>
  );
}

function Copyable({ text }: { readonly text: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="row copyable">
      <code class="command">
        <PlainText text={text} />
      </code>
      <button
        type="button"
        class="button small"
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {t(isCopied ? HEALTH.copied : HEALTH.copy)}
      </button>
    </div>
  );
}
