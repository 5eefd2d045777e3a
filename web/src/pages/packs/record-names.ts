import { PACKS } from '../../text/pages/packs.ts';
import { formatNumber, language, t } from '../../text/text.ts';
import type { Output } from '../../api/client.ts';

export type ShownReceipt = Output<'/api/v1/receipt/show'>;
export type Verdict = NonNullable<ShownReceipt['receipt']['candidates'][number]['verdict']>;

/** How many colours tell the parts of a text apart. */
export const TONES = 8;

const PERCENT = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });

export function percent(score: number): string {
  return PERCENT.format(score);
}

export function nameOf(shown: ShownReceipt, record: string): ShownReceipt['records'][number] | undefined {
  return shown.records.find((each) => each.record === record);
}

/** What a record is called now. */
export function titleOf(shown: ShownReceipt, record: string): string {
  return nameOf(shown, record)?.title ?? t(PACKS.deletedRecord);
}

export function reasonText(
  reason: NonNullable<ShownReceipt['receipt']['candidates'][number]['reason']>,
): string {
  return t(PACKS[`reason_${reason}`]);
}

/** `lines 3–9`. */
export function linesText({ from, to }: { readonly from: number; readonly to: number }): string {
  const [one = '', many = one] = PACKS.lines[language].split(' | ');
  const form = from === to ? one : many;
  return form.replace('{from}', formatNumber(from)).replace('{to}', formatNumber(to));
}
