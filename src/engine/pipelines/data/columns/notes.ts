import type { DecimalSign } from '../values/numerals.ts'

/**
 * Notes of everything that was decided, changed or left out between cells and values; the reader sees each (phrases.ts). Lists are bounded,
 * counts are whole.
 */
export type Note =
  /** Spellings of one word that were counted as one. */
  | {
      kind: 'merged'
      column: string
      shown: string
      spellings: { text: string; count: number }[]
      more: number
    }
  | { kind: 'merged-more'; column: string; count: number }
  | { kind: 'texts'; columns: string[] }
  /** It holds numbers or days, but too few. */
  | { kind: 'stayed-text'; column: string; values: number; of: number; examples: string[] }
  | { kind: 'codes'; column: string; examples: string[] }
  | { kind: 'unreadable'; column: string; count: number; examples: string[] }
  /** Known from cells that can only be meant so, or a guess. */
  | { kind: 'decimal'; column: string; sign: DecimalSign; guess: boolean; written: string; read: string }
  | { kind: 'slash'; column: string; written: string; read: string }
  | { kind: 'order'; column: string; dayFirst: boolean; guess: boolean; written: string; read: string }
  | { kind: 'century'; column: string; written: string; read: string }
  | { kind: 'serial'; column: string; written: string; read: string }
  | { kind: 'compact'; column: string; written: string; read: string }
  | { kind: 'other-calendar'; column: string; count: number; calendar: 'jalali' | 'gregorian' }
  /** Numbers without a unit, in a column of one: as its name says, or a guess. */
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
  /** Records of JSON, by how they begin. */
  | { kind: 'unparsed'; count: number; examples: string[] }
  | { kind: 'broken'; count: number }
  | { kind: 'encoding'; encoding: string }
  | { kind: 'merged-cells'; count: number }
  | { kind: 'uncalculated'; count: number }
  /** Of cells that a spreadsheet shows as such. */
  | { kind: 'durations'; count: number }
  | { kind: 'repeated'; count: number }
  | { kind: 'used'; sources: { name: string; rows: number }[] }
  | { kind: 'unused'; sources: { name: string; rows: number; hidden: boolean }[] }
  /** Characters of a text. */
  | { kind: 'text-cut'; read: number; of: number }
  | { kind: 'sheets-cut'; count: number }
  | { kind: 'columns-cut'; read: number; of: number }
  | { kind: 'distinct-floor'; column: string; least: number }
