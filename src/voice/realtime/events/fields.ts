/** Reads the fields of an event, each with its bound. A wrong field throws INVALID_REQUEST with its path in `param`. */
import { fail, type Localized } from '#platform/errors'
import { reasons } from '../phrases.ts'

export type Fields = Record<string, unknown>

/** Throws INVALID_REQUEST. */
export function refuse(param: string, why: Localized): never {
  fail('INVALID_REQUEST', { why }, { param })
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const readFields = (value: unknown, param: string): Fields =>
  isFields(value) ? value : refuse(param, reasons.object)

/** Reads a text; its bounds are in characters. */
export function readText(value: unknown, param: string, least: number, most: number): string {
  if (typeof value !== 'string' || value.length < least || !isWithin(value, most))
    return refuse(param, reasons.text(least, most))
  return value
}

/** Whether the text fits; its characters are counted only where the number of units does not decide. */
const isWithin = (text: string, most: number): boolean =>
  text.length <= most || (text.length <= 2 * most && [...text].length <= most)

export function readInteger(value: unknown, param: string, least: number, most: number): number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    return refuse(param, reasons.integer(least, most))
  return value as number
}

export function readNumber(value: unknown, param: string, least: number, most: number): number {
  if (typeof value !== 'number' || !(value >= least && value <= most))
    return refuse(param, reasons.number(least, most))
  return value
}

export const readFlag = (value: unknown, param: string): boolean =>
  typeof value === 'boolean' ? value : refuse(param, reasons.flag)

export function readOneOf<const T extends string>(value: unknown, param: string, values: readonly T[]): T {
  if (typeof value !== 'string' || !values.includes(value as T)) return refuse(param, reasons.oneOf(values))
  return value as T
}

export function readList(value: unknown, param: string, most: number): unknown[] {
  if (!Array.isArray(value) || value.length > most) return refuse(param, reasons.list(most))
  return value
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/

export function readName(value: unknown, param: string): string {
  if (typeof value !== 'string' || !namePattern.test(value)) return refuse(param, reasons.name)
  return value
}

/** The id of an item or a response, made by this server or by the client. */
export const readId = (value: unknown, param: string): string => readText(value, param, 1, 64)
