import { renderLetter } from '#account/sign-in'
import { english, englishFooter } from './english-phrases.ts'
import type { LetterLocale, TypedLetter } from './kinds.ts'
import { persian, persianFooter } from './persian-phrases.ts'
import { type Speech, speechOf } from './speech.ts'
import type { Wording, Wordings } from './wording.ts'

/** The subject and both bodies of a letter, at most 100 KB each. Times are those of the zone, or of Iran. */
export function composeLetter(
  letter: TypedLetter,
  { locale, time_zone }: { locale: LetterLocale; time_zone: string | null },
): { subject: string; text: string; html: string } {
  const [wordings, footer, brand] =
    locale === 'fa' ? [persian, persianFooter, 'خرد'] : [english, englishFooter, 'Kherad']
  return renderLetter({ locale, brand, footer, ...wordingOf(wordings, letter, speechOf(locale, time_zone)) })
}

/** The compiler does not see that the kind chooses the function of its own data. */
const wordingOf = (wordings: Wordings, { kind, data }: TypedLetter, speech: Speech): Wording =>
  (wordings[kind] as (data: TypedLetter['data'], speech: Speech) => Wording)(data, speech)
