import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Language } from '#platform/errors'
import { qualitiesOf } from './preferences.ts'

/** Decodes a header as UTF-8: Node reads headers as Latin-1, but clients write UTF-8, and lengths and receipts need the actual text. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

/** The language of an answer: Persian if `Accept-Language` prefers it to English, else English (RFC 9110 section 12.5.4). */
export function languageOf(headers: IncomingHttpHeaders): Language {
  const header = headers['accept-language']?.toLowerCase()
  if (header === undefined || !header.includes('fa')) return 'en'
  const weight = { fa: 0, en: 0 }
  for (const [range, quality] of qualitiesOf(header)) {
    const name = range.split('-', 1)[0]
    if (name === 'fa' || name === 'en') weight[name] = Math.max(weight[name], quality)
  }
  if (weight.fa === weight.en)
    return weight.fa > 0 && header.indexOf('fa') < header.indexOf('en') ? 'fa' : 'en'
  return weight.fa > weight.en ? 'fa' : 'en'
}
