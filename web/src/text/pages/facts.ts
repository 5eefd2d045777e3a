import type { Texts } from '../text.ts';

export const FACTS = {
  about: {
    en: 'Values under a key, such as a preference. Each expires, so that nothing old stays by accident.',
    de: 'Werte unter einem Schlüssel, etwa eine Vorliebe. Jeder läuft ab, damit nichts Altes aus Versehen bleibt.',
  },
  add: { en: 'New fact', de: 'Neuer Fakt' },
  categories: { en: 'Categories', de: 'Kategorien' },
  find: { en: 'Key begins with', de: 'Schlüssel beginnt mit' },
  sort: { en: 'Order', de: 'Reihenfolge' },
  newest: { en: 'newest first', de: 'neueste zuerst' },
  expires: { en: 'expiring first', de: 'bald ablaufende zuerst' },
  total: { en: '{n} fact | {n} facts', de: '{n} Fakt | {n} Fakten' },
  emptyTitle: { en: 'No facts yet', de: 'Noch keine Fakten' },
  empty: {
    en: 'Agents store facts here, such as what you prefer. You can write one yourself.',
    de: 'Agenten legen hier Fakten ab, etwa was Sie bevorzugen. Sie können auch selbst einen schreiben.',
  },
  noneTitle: { en: 'No fact matches', de: 'Kein Fakt passt' },
  none: {
    en: 'Try another beginning of the key, or all categories.',
    de: 'Versuchen Sie einen anderen Anfang des Schlüssels, oder alle Kategorien.',
  },
  left: { en: 'expires {when}', de: 'läuft {when} ab' },
  storedBy: { en: 'stored by {who}', de: 'von {who}' },
  keepFor: { en: 'Keep {key} for', de: '{key} behalten für' },
  keep: { en: 'Keep for …', de: 'Behalten für …' },
  days: { en: '{n} day | {n} days', de: '{n} Tag | {n} Tage' },
  kept: { en: '{key} is kept for {time}', de: '{key} bleibt {time}' },
  forget: { en: 'Forget', de: 'Vergessen' },
  forgetKey: { en: 'Forget {key}', de: '{key} vergessen' },
  forgotten: { en: '{key} is forgotten', de: '{key} ist vergessen' },
  restored: { en: '{key} is back', de: '{key} ist wieder da' },
  key: { en: 'Key', de: 'Schlüssel' },
  keyHint: { en: 'preferred_framework', de: 'lieblings_framework' },
  value: { en: 'Value', de: 'Wert' },
  tags: { en: 'Tags, separated by commas', de: 'Schlagworte, durch Kommas getrennt' },
  lifetime: { en: 'Keep for', de: 'Behalten für' },
  replaces: {
    en: 'If the key has a value in this category, the new one replaces it.',
    de: 'Hat der Schlüssel in dieser Kategorie schon einen Wert, ersetzt ihn der neue.',
  },
} as const satisfies Texts;
