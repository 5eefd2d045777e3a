const MAX_SUBJECT_LENGTH = 128;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether a text can name a subject, and so its namespace: 1 to 128 characters, no control ones, no spaces around it. */
export function isSubject(text: string): boolean {
  const fits = text.length > 0 && text.length <= MAX_SUBJECT_LENGTH;
  return fits && text === text.trim() && text.isWellFormed() && !CONTROL.test(text);
}
