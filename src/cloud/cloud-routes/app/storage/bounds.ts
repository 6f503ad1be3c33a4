import { fail } from '#platform/errors'
import { notWithin } from './phrases.ts'

interface Bounds {
  standard: number
  min?: number
  max: number
  param: string
}

/** Reads an integer of a query or a body. Throws INVALID_REQUEST. */
export function boundedInteger(stated: unknown, { standard, min = 0, max, param }: Bounds): number {
  if (stated === undefined || stated === null) return standard
  const number = typeof stated === 'string' && !/^\d{1,15}$/.test(stated) ? Number.NaN : Number(stated)
  if (!Number.isSafeInteger(number) || number < min || number > max)
    fail('INVALID_REQUEST', { why: notWithin(param, min, max) }, { param })
  return number
}
