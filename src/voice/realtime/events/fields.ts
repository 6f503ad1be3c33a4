/** Reads the fields of an event, each with its bound. A wrong field throws INVALID_REQUEST with its path in `param`. */
import { fail, type Localized } from '#platform/errors'
import { reasons } from '../phrases.ts'

export type EventFields = Record<string, unknown>

/** Throws INVALID_REQUEST. */
export function refuse(param: string, why: Localized): never {
  fail('INVALID_REQUEST', { why }, { param })
}

export const isFields = (value: unknown): value is EventFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const readFields = (value: unknown, param: string): EventFields =>
  isFields(value) ? value : refuse(param, reasons.object)

/** Reads a text; its bounds are in characters. */
export function readText(value: unknown, param: string, min: number, max: number): string {
  if (typeof value !== 'string' || value.length < min || !isWithin(value, max))
    return refuse(param, reasons.text(min, max))
  return value
}

/** Whether the text fits; its characters are counted only where the number of units does not decide. */
const isWithin = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

export function readInteger(value: unknown, param: string, min: number, max: number): number {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
    return refuse(param, reasons.integer(min, max))
  return value as number
}

export function readNumber(value: unknown, param: string, min: number, max: number): number {
  if (typeof value !== 'number' || !(value >= min && value <= max))
    return refuse(param, reasons.number(min, max))
  return value
}

export const readFlag = (value: unknown, param: string): boolean =>
  typeof value === 'boolean' ? value : refuse(param, reasons.flag)

export function readOneOf<const T extends string>(value: unknown, param: string, values: readonly T[]): T {
  if (typeof value !== 'string' || !values.includes(value as T)) return refuse(param, reasons.oneOf(values))
  return value as T
}

export function readList(value: unknown, param: string, max: number): unknown[] {
  if (!Array.isArray(value) || value.length > max) return refuse(param, reasons.list(max))
  return value
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/

export function readName(value: unknown, param: string): string {
  if (typeof value !== 'string' || !namePattern.test(value)) return refuse(param, reasons.name)
  return value
}

/** The id of an item or a response, made by this server or by the client. */
export const readId = (value: unknown, param: string): string => readText(value, param, 1, 64)
