import type { DecimalSign } from '../values/numerals.ts'

/**
 * Notes of everything that was decided, changed or left out between cells and values; the summary shows each of them (phrases.ts). Lists
 * are limited, counts are complete.
 */
export type Note =
  /** Spellings that were merged into one word. */
  | {
      kind: 'merged'
      column: string
      shown: string
      spellings: { text: string; count: number }[]
      more: number
    }
  | { kind: 'merged-more'; column: string; count: number }
  | { kind: 'texts'; columns: string[] }
  /** A column with too few numbers or dates to be treated as such. */
  | { kind: 'stayed-text'; column: string; values: number; of: number; examples: string[] }
  | { kind: 'codes'; column: string; examples: string[] }
  | { kind: 'unreadable'; column: string; count: number; examples: string[] }
  /** The decimal sign of a column: decided by unambiguous cells, or guessed. */
  | { kind: 'decimal'; column: string; sign: DecimalSign; guess: boolean; written: string; read: string }
  | { kind: 'slash'; column: string; written: string; read: string }
  | { kind: 'order'; column: string; dayFirst: boolean; guess: boolean; written: string; read: string }
  | { kind: 'century'; column: string; written: string; read: string }
  | { kind: 'serial'; column: string; written: string; read: string }
  | { kind: 'compact'; column: string; written: string; read: string }
  | { kind: 'other-calendar'; column: string; count: number; calendar: 'jalali' | 'gregorian' }
  /** Numbers without a unit in a column with one; the unit is decided by the column's name, or guessed. */
  | { kind: 'bare-unit'; column: string; count: number; unit: string; guess: boolean }
  | { kind: 'other-unit'; column: string; count: number; from: string; to: string }
  | { kind: 'magnitudes'; column: string; count: number }
  | { kind: 'rounded'; column: string; count: number; digits: number }
  | { kind: 'jalali'; column: string }
  | { kind: 'totals'; count: number; labels: string[]; agree: 'yes' | 'no' | 'unknown' }
  | { kind: 'heads'; count: number }
  | { kind: 'before'; count: number }
  | { kind: 'nameless'; columns: string[] }
  | { kind: 'renamed'; columns: string[] }
  | { kind: 'headless' }
  | { kind: 'empty'; columns: string[] }
  | { kind: 'skipped'; count: number; examples: string[] }
  /** JSON records that could not be read, shown by their beginnings. */
  | { kind: 'unparsed'; count: number; examples: string[] }
  | { kind: 'broken'; count: number }
  | { kind: 'encoding'; encoding: string }
  | { kind: 'merged-cells'; count: number }
  | { kind: 'uncalculated'; count: number }
  /** Durations in a spreadsheet, counted in hours. */
  | { kind: 'durations'; count: number }
  | { kind: 'repeated'; count: number }
  | { kind: 'used'; sources: { name: string; rows: number }[] }
  | { kind: 'unused'; sources: { name: string; rows: number; hidden: boolean }[] }
  /** Truncation of a text, in characters. */
  | { kind: 'text-cut'; read: number; of: number }
  | { kind: 'sheets-cut'; count: number }
  | { kind: 'columns-cut'; read: number; of: number }
  | { kind: 'distinct-floor'; column: string; least: number }
