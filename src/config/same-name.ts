/**
 * What two names of vaults or sources must not have in common. File systems and people take `Notes` and `notes` for one,
 * and so do some of the places where a name is written; the store does not.
 */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
