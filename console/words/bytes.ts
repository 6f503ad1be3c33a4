import { byteUnits } from './bytes.words.ts'
import { formatNumber } from './digits.ts'
import type { Locale } from './locale.ts'

/** A size in the largest unit of which it has at least one, to a tenth below ten. */
export function formatBytes(locale: Locale, bytes: number): string {
  const power = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const size = bytes / 1_000 ** power
  const rounded = size < 10 && power > 0 ? Math.round(size * 10) / 10 : Math.round(size)
  return `${formatNumber(locale, rounded)} ${byteUnits[locale][power]}`
}
