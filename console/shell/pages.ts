/** The pages of the console. What is not in this list is in no navigation; a page comes into it when it is whole. */
import type { ComponentType } from 'react'
import type { WordsOf } from '../words/locale.ts'
import type { pageWords } from './pages.words.ts'

export interface PageEntry {
  /** Part of ids and of the names of words. */
  name: keyof typeof pageWords.fa
  path: string
  group: 'main' | 'build' | 'account'
  /** What the role must have for the page to be of use, such as `keys:read`; undefined for pages of everybody. */
  needs?: string
  /** Loads the page's own chunk. */
  load(): Promise<{ default: ComponentType }>
}

export const pages: readonly PageEntry[] = [
  { name: 'home', path: '/', group: 'main', load: () => import('../pages/home/home.tsx') },
]

export const titlesOf = (
  words: WordsOf<typeof pageWords.fa>,
  name: PageEntry['name'],
): { fa: string; en: string } => ({
  fa: words.fa[name],
  en: words.en[name],
})
