/** What Loci takes of a document, in characters; one that has more of anything is left out as a whole. */
export const LIMITS = { title: 500, tag: 100, tags: 64, project: 128, entry: 300 };

/** A text of at most `most` characters that ends between two of them. */
export function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** `{ tags }`, none of them too long; nothing where there are none. */
export function tagsEntry(tags) {
  const kept = [...new Set(tags.map((tag) => shortened(tag, LIMITS.tag)))].slice(0, LIMITS.tags);
  return kept.length === 0 ? {} : { tags: kept };
}

/** `{ url }` if it is an address that Loci takes. */
export function urlEntry(url) {
  return url && url.length <= 2000 && /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu.test(url) ? { url } : {};
}
