import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { LinkIndex } from '../../store/rules/link-index.ts';
import type { EngineContext } from '../context.ts';
import { vaultName, vaultsOfNamespace } from '../reading/configured/vault-names.ts';
import { vaultSource } from '../reading/refresh/refresh-vault.ts';
import { expire } from '../shared/retention.ts';
import { visibleRecord } from './record-page.ts';
import { citationField } from './record-selection.ts';

const MAX_IMAGE_BYTES = 10_000_000;
const MAX_TARGET_LENGTH = 2000;

/**
 * How the bytes of each format begin; a dot stands for any byte. SVG is text. Its scripts do not run and its addresses are not fetched where
 * it is shown as an image (`<img>`), which is the only way to show it.
 */
const SIGNATURES = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF....WEBP/s,
  'image/avif': /^....ftypavi[fs]/s,
  'image/svg+xml': /^(?:\xef\xbb\xbf)?\s*<(?:svg\b|[?!][^]*<svg\b)/,
} as const;
type MediaType = keyof typeof SIGNATURES;
const MEDIA_TYPES = Object.keys(SIGNATURES) as MediaType[];
/** The comment before an SVG image is shorter. */
const SIGNATURE_BYTES = 2000;

export const recordImageInput = z.strictObject({
  citation: citationField().describe('The note that has the image.'),
  target: z
    .string()
    .min(1)
    .max(MAX_TARGET_LENGTH)
    .describe(
      'The target as the note has it: `photo.png` of `![[photo.png|200]]`, `images/a.png` of `![](images/a.png)`.',
    ),
});

export const recordImageOutput = z.strictObject({
  path: z.string().describe('Its path in the vault.'),
  media_type: z.enum(MEDIA_TYPES).describe('By its bytes.'),
  bytes: z.number().int().positive(),
  data: z.base64().describe('The image.'),
});
export type RecordImageOutput = z.infer<typeof recordImageOutput>;

/**
 * An image of the vault that a note shows. It is looked for among the images that a listing of the vault has, as Obsidian does.
 * @throws LociError `not_found`; `too_large` above 10 MB; `unsupported_media_type` for what is no PNG, JPEG, GIF, WebP, AVIF or SVG; `unreadable`
 */
export async function recordImage(
  context: EngineContext,
  { citation, target }: z.infer<typeof recordImageInput>,
): Promise<RecordImageOutput> {
  await expire(context);
  const { record } = await visibleRecord(context, citation);
  const vault = vaultsOfNamespace(context).find((each) => vaultName(each) === record.source);
  if (record.origin !== 'vault' || record.key === null || vault === undefined)
    throw new LociError('not_found', 'only notes of vaults in the settings have images');
  const source = await vaultSource(context, vault);
  const listing = context
    .shared(ImageListings)
    .of(record.source, async () => (await source.images?.()) ?? []);
  const path = find(await listing, target, record.key);
  const bytes = path === null ? null : await source.readImage?.(path, MAX_IMAGE_BYTES);
  if (path === null || bytes === null || bytes === undefined)
    throw new LociError('not_found', `the vault has no image ${JSON.stringify(target.slice(0, 200))}`, {
      hint: 'Images are files that end in .png, .jpg, .jpeg, .gif, .webp, .avif or .svg, and that no rule excludes.',
    });
  const mediaType = mediaTypeOf(path, bytes);
  if (mediaType === null)
    throw new LociError('unsupported_media_type', `${path} is no PNG, JPEG, GIF, WebP, AVIF or SVG image`, {
      hint: 'What a file has counts, not its name.',
    });
  return { path, media_type: mediaType, bytes: bytes.length, data: Buffer.from(bytes).toString('base64') };
}

function find(images: LinkIndex, target: string, from: string): string | null {
  const decoded = /%[0-9a-f]{2}/i.test(target) ? decode(target) : null;
  const found = images.resolve(target, from) ?? (decoded === null ? null : images.resolve(decoded, from));
  // An empty target means the note.
  return found === from ? null : found;
}

function decode(target: string): string | null {
  try {
    return decodeURIComponent(target);
  } catch {
    return null;
  }
}

function mediaTypeOf(path: string, bytes: Uint8Array): MediaType | null {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES)).toString('latin1');
  const found = MEDIA_TYPES.find((type) => SIGNATURES[type].test(start)) ?? null;
  // A text is no picture by chance, as HTML with one in it would be.
  return found === 'image/svg+xml' && !/\.svg$/i.test(path) ? null : found;
}

/** How long a listing of a vault serves, in milliseconds: a page asks for all images of a note at once. */
const LISTING_MS = 10_000;

/** The images of vaults, by the name of the vault. */
class ImageListings {
  readonly #listings = new Map<string, { readonly at: number; readonly index: Promise<LinkIndex> }>();

  of(vault: string, list: () => Promise<readonly string[]>): Promise<LinkIndex> {
    const known = this.#listings.get(vault);
    const now = performance.now();
    if (known !== undefined && now - known.at < LISTING_MS) return known.index;
    const index = list().then((keys) => new LinkIndex(keys));
    this.#listings.set(vault, { at: now, index });
    index.catch(() => this.#listings.delete(vault));
    return index;
  }
}
