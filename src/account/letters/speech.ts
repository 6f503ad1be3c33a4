/** How letters write moments, numbers and the names of strangers, in the language of their reader. */
import { isIP } from 'node:net'
import { IsolatedText, QuotedWords } from '#account/sign-in'
import type { LetterLocale } from './kinds.ts'

/** Words of one letter: a sentence is an array of fixed texts and of these. */
export interface Speech {
  /** A name that somebody else has chosen: plain, isolated, and nothing that a mail program makes a link of. */
  name(words: string): QuotedWords
  moment(at: Date): IsolatedText
  number(number: number | bigint): string
  /** A number and the percent sign, which would change sides without isolation. */
  percent(number: number): IsolatedText
  /** The address of a network; whatever else it is, is a name. */
  network(from: string): IsolatedText | QuotedWords
}

const zoneOfPeople = 'Asia/Tehran'

export function speechOf(locale: LetterLocale, timeZone: string | null): Speech {
  const number = (value: number | bigint): string =>
    value.toLocaleString(locale === 'fa' ? 'fa-IR' : 'en-US', { maximumFractionDigits: 0 })
  return {
    name: (words) => new QuotedWords(words),
    moment: (at) => new IsolatedText(momentText(locale, at, timeZone ?? zoneOfPeople)),
    number,
    percent: (value) => new IsolatedText(number(value) + (locale === 'fa' ? '٪' : '%')),
    network: (from) => (isIP(from) === 0 ? new QuotedWords(from) : new IsolatedText(from, 'ltr')),
  }
}

/** Names the zone, since the reader may be elsewhere: `دوشنبه ۹ آذر ۱۴۰۵، ساعت ۰۹:۳۲ (وقت ایران)`, `Monday, 30 November 2026, 09:32 (GMT+3:30)`. */
function momentText(locale: LetterLocale, at: Date, timeZone: string): string {
  const part = partsOf(locale, at, timeZone)
  if (locale === 'en')
    return `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}, ${part('hour')}:${part('minute')} (${part('timeZoneName')})`
  const zone = part('timeZoneName').replace(' عادی', '').replaceAll(' ', '\u00a0')
  return `${part('weekday')} ${part('day')} ${part('month')} ${part('year')}، ساعت ${part('hour')}:${part('minute')} (${zone})`
}

function partsOf(
  locale: LetterLocale,
  at: Date,
  timeZone: string,
): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = formatOf(locale, timeZone).formatToParts(at)
  return (type) => parts.find((part) => part.type === type)?.value ?? ''
}

function formatOf(locale: LetterLocale, timeZone: string): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: locale === 'fa' ? 'longGeneric' : 'shortOffset',
  }
  const language = locale === 'fa' ? 'fa-IR' : 'en-GB'
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone })
  } catch {
    // The zone of a person may be one that this release of Node does not know any more.
    return new Intl.DateTimeFormat(language, { ...options, timeZone: zoneOfPeople })
  }
}
