// Writes docs/receipt.schema.json from src/pack/receipt.ts: `node scripts/receipt-schema.ts`. A test checks that the file is
// up to date.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { format } from 'prettier';
import { RECEIPT_VERSION, receiptSchema } from '../src/pack/receipt.ts';

export function renderReceiptSchema(): Promise<string> {
  const schema = {
    ...z.toJSONSchema(receiptSchema),
    title: `Receipt of Loci, version ${String(RECEIPT_VERSION)}`,
  };
  return format(JSON.stringify(schema), { parser: 'json', printWidth: 110 });
}

if (import.meta.main)
  writeFileSync(new URL('../docs/receipt.schema.json', import.meta.url), await renderReceiptSchema());
