import { recordImage, recordImageInput, recordImageOutput } from '../../engine/browse/record-image.ts';
import type { Operation } from '../operation.ts';

export const recordImageOperation: Operation<typeof recordImageInput, typeof recordImageOutput> = {
  name: 'record-image',
  title: 'Read an image of a note',
  description:
    'The bytes of an image that a note shows, in Base64: PNG, JPEG, GIF, WebP, AVIF or SVG of at most 10 MB. It is found as Obsidian finds it, and only in the vault of the note.',
  input: recordImageInput,
  output: recordImageOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  // An image is in no index: agents read what the index has.
  local: true,
  onPage: true,
  examples: [
    {
      title: 'An embedded image',
      input: { citation: 'Home/Kitchen remodel.md', target: 'kitchen-plan.svg' },
    },
  ],
  run: async (context, given) => recordImage(await context.loci(), given),
};
