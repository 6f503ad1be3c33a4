import { directionOf } from './direction.ts'
import type { DocumentSource, Inline, Language } from './model.ts'
import { joinedNames } from './phrases.ts'

/** Author, title and date of a source as one line. */
export function entryOf({ title, url, authors, date }: DocumentSource, language: Language): Inline[] {
  const comma = joinedNames(directionOf(title, language) === 'rtl' ? 'fa' : 'en', ['', ''])
  return [
    ...(authors ? [{ type: 'text', text: authors + comma } as const] : []),
    { type: 'text', text: title, ...(url && { link: url }) },
    ...(date ? [{ type: 'text', text: comma + date } as const] : []),
  ]
}
