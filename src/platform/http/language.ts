import type { IncomingHttpHeaders } from 'node:http'
import type { Language } from '#platform/errors'

/** Persian when `Accept-Language` prefers it to English, else English (RFC 9110 section 12.5.4). */
export function languageOf(headers: IncomingHttpHeaders): Language {
  const header = headers['accept-language']
  if (header === undefined || !header.includes('fa')) return 'en'
  const weight = { fa: 0, en: 0 }
  for (const range of header.toLowerCase().split(',')) {
    const [tag, ...parameters] = range.trim().split(';')
    const name = tag!.split('-')[0]
    if (name !== 'fa' && name !== 'en') continue
    const quality = parameters.map((p) => /^\s*q=([\d.]+)\s*$/.exec(p)?.[1]).find((q) => q !== undefined)
    weight[name] = Math.max(weight[name], quality === undefined ? 1 : Number(quality))
  }
  return weight.fa > 0 && (weight.fa > weight.en || (weight.fa === weight.en && header.toLowerCase().indexOf('fa') < header.toLowerCase().indexOf('en'))) ? 'fa' : 'en'
}
