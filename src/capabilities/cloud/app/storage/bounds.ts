import { fail, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

interface Bounds {
  standard: number
  min?: number
  max: number
  param: string
}

const why = (param: string, min: number, max: number): Localized => ({
  en: `${param} is a whole number from ${min} to ${max}.`,
  fa: `${param} عددی صحیح از ${persian(min)} تا ${persian(max)} است.`,
})

/** Of a query or a body. Throws INVALID_REQUEST. */
export function boundedInteger(stated: unknown, { standard, min = 0, max, param }: Bounds): number {
  if (stated === undefined || stated === null) return standard
  const number = typeof stated === 'string' && !/^\d{1,15}$/.test(stated) ? Number.NaN : Number(stated)
  if (!Number.isSafeInteger(number) || number < min || number > max)
    fail('INVALID_REQUEST', { why: why(param, min, max) }, { param })
  return number
}
