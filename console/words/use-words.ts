import { useSyncExternalStore } from 'react'
import { type Locale, locale, subscribeLocale, type WordsOf } from './locale.ts'

/** The language of the page; the component is drawn again when the person chooses the other one. */
export const useLocale = (): Locale => useSyncExternalStore(subscribeLocale, locale)

/** The words of an area in the language of the page. */
export const useWords = <Words>(words: WordsOf<Words>): Words => words[useLocale()]
