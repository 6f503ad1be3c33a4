/** Caps, limits and thresholds as people type them, and as the API takes them. */
import { latinDigits, readNumber } from '../../words/digits.ts'

/** The members of a project that are a number or nothing. */
export const limitParts = [
  'month_cap_credits',
  'cap_credits',
  'rate_per_minute',
  'concurrency',
  'keep_days',
] as const
export type LimitPart = (typeof limitParts)[number]
export type Limits = Record<LimitPart, number | null>
export type LimitTexts = Record<LimitPart, string>

export const noLimits: LimitTexts = {
  month_cap_credits: '',
  cap_credits: '',
  rate_per_minute: '',
  concurrency: '',
  keep_days: '',
}

/** A whole number as it is typed, in any digits; null where nothing is typed: no limit; undefined where it is none. */
export function readLimit(text: string): number | null | undefined {
  if (text.trim() === '') return null
  const decimal = readNumber(text)
  return decimal !== undefined && /^\d{1,15}$/.test(decimal) ? Number(decimal) : undefined
}

export const textsOf = (limits: Limits, number: (value: number) => string): LimitTexts =>
  Object.fromEntries(
    limitParts.map((part) => [part, limits[part] === null ? '' : number(limits[part])]),
  ) as LimitTexts

/** The limits whose text is not a whole number. */
export const unreadable = (texts: LimitTexts): LimitPart[] =>
  limitParts.filter((part) => readLimit(texts[part]) === undefined)

/** The limits that are others than before, as the API takes them. */
export function changedLimits(texts: LimitTexts, before: Limits): Partial<Limits> {
  const pairs = limitParts.map((part) => [part, readLimit(texts[part])] as const)
  return Object.fromEntries(pairs.filter(([part, value]) => value !== undefined && value !== before[part]))
}

export const maxThresholds = 10

/**
 * Percentages as people type them: `۵۰٪، ۸۰٪`, `50 80`. Ascending, each once; undefined where one is no whole number from 1 to 100.
 */
export function readThresholds(text: string): number[] | undefined {
  const words = latinDigits(text)
    .replace(/[\u200c-\u200f\u061c\u2066-\u2069]/g, '')
    .split(/[\s,،؛;٪%]+/)
    .filter((word) => word !== '')
  const percents = words.map((word) => (/^\d{1,3}$/.test(word) ? Number(word) : 0))
  if (percents.some((percent) => percent < 1 || percent > 100)) return undefined
  return joinThresholds([], percents)
}

export const joinThresholds = (one: readonly number[], other: readonly number[]): number[] =>
  [...new Set([...one, ...other])].sort((left, right) => left - right)
