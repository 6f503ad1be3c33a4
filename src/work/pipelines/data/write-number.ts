import type { Language } from '#work/documents'

/** A decimal as people read it in their language: grouped, with at most two digits behind the point, four for small ones. */
export function writeDecimal(decimal: string, language: Language): string {
  const isSmall = Math.abs(Number(decimal)) < 1 && Number(decimal) !== 0
  const format = new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US', {
    maximumFractionDigits: isSmall ? 4 : 2,
  })
  // Decimal text is formatted as it stands, without the rounding of binary fractions.
  return format.format(decimal as `${number}`)
}

/** A decimal as people read it, with its percent sign or its unit. */
export const writeMeasured = (
  decimal: string,
  { kind, unit }: { kind: string; unit?: string },
  language: Language,
): string =>
  kind === 'percent'
    ? percentText(decimal, language)
    : `${writeDecimal(decimal, language)}${unit ? ` ${unit}` : ''}`

export const percentText = (decimal: string, language: Language): string =>
  `${writeDecimal(decimal, language)}${language === 'fa' ? '٪' : '%'}`
