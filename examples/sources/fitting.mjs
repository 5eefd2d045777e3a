/** The limits of Loci, in characters and in tags. It skips a document that exceeds one of them. */
export const LIMITS = { title: 500, tag: 100, tags: 64, project: 128, entry: 300 };

/** Cuts a text to at most `maxLength` UTF-16 units, and not within a character. */
export function shortened(text, maxLength) {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** `{ tags }`, shortened and without duplicates; `{}` if there are none. */
export function tagsEntry(tags) {
  const distinct = [...new Set(tags.map((tag) => shortened(tag, LIMITS.tag)))].slice(0, LIMITS.tags);
  return distinct.length === 0 ? {} : { tags: distinct };
}

/** `{ url }`; `{}` if Loci would not accept the URL. */
export function urlEntry(url) {
  return url && url.length <= 2000 && /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu.test(url) ? { url } : {};
}
