import { directionOf } from './direction.ts'
import type { Inline, Language, Source } from './model.ts'
import { inLine } from './phrases.ts'

/** Author, title and date of a source as one line. */
export function entryOf({ title, url, authors, date }: Source, language: Language): Inline[] {
  const comma = inLine(directionOf(title, language) === 'rtl' ? 'fa' : 'en', ['', ''])
  return [
    ...(authors ? [{ type: 'text', text: authors + comma } as const] : []),
    { type: 'text', text: title, ...(url && { link: url }) },
    ...(date ? [{ type: 'text', text: comma + date } as const] : []),
  ]
}
