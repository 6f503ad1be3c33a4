/** The language of the page: chosen by the person, else the one that the server found in the browser's preferences. */
export type Locale = 'fa' | 'en'

/** The words of an area in both languages; `en` is written as `satisfies typeof fa`, so that the compiler refuses a missing one. */
export interface WordsOf<Words> {
  fa: Words
  en: Words
}

const storedAs = 'kherad.locale'
const listeners = new Set<() => void>()
let current: Locale = 'fa'

export const directionOf = (locale: Locale): 'rtl' | 'ltr' => (locale === 'fa' ? 'rtl' : 'ltr')

export const locale = (): Locale => current

export function subscribeLocale(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Reads the language before anything is shown, and sets it on the document. */
export function startLocale(): void {
  const stored = localStorage.getItem(storedAs)
  const served = document.documentElement.lang
  apply(stored === 'fa' || stored === 'en' ? stored : served === 'en' ? 'en' : 'fa')
}

export function chooseLocale(chosen: Locale): void {
  localStorage.setItem(storedAs, chosen)
  apply(chosen)
}

function apply(chosen: Locale): void {
  current = chosen
  document.documentElement.lang = chosen
  document.documentElement.dir = directionOf(chosen)
  for (const listener of listeners) listener()
}
