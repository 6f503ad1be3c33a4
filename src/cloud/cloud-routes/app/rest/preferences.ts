/** The `Prefer` header, and what an answer looks like. */

import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '#cloud/tables'
import { refusals } from './refusals.ts'

export interface Preferences {
  answers: 'minimal' | 'headers-only' | 'representation'
  /** How rows are counted; undefined where they are not. */
  count: 'exact' | 'planned' | 'estimated' | undefined
  onConflict: 'refuse' | 'merge' | 'ignore'
  /** Whether fields that one of several rows does not name are left out instead of null. */
  leavesOut: boolean
  maxAffected: number | undefined
  rollsBack: boolean
  /** The time zone in which times are answered and read; the database knows whether there is one of this name. */
  timeZone: string | undefined
  /** Whether every preference has to be followed. */
  isStrict: boolean
  /** The preferences that were followed. */
  applied: string[]
}

const known: Readonly<Record<string, Partial<Preferences>>> = {
  'return=minimal': { answers: 'minimal' },
  'return=headers-only': { answers: 'headers-only' },
  'return=representation': { answers: 'representation' },
  'count=exact': { count: 'exact' },
  'count=planned': { count: 'planned' },
  'count=estimated': { count: 'estimated' },
  'resolution=merge-duplicates': { onConflict: 'merge' },
  'resolution=ignore-duplicates': { onConflict: 'ignore' },
  'missing=default': { leavesOut: true },
  'missing=null': { leavesOut: false },
  'tx=rollback': { rollsBack: true },
  'tx=commit': { rollsBack: false },
  'handling=strict': {},
  'handling=lenient': {},
}

const unset = {
  ...{ answers: 'minimal', count: undefined, onConflict: 'refuse', leavesOut: false },
  ...{ maxAffected: undefined, rollsBack: false, timeZone: undefined },
} as const satisfies Partial<Preferences>

/** Reads the header. Throws RestRefused where an unknown preference has to be followed; `timezone` is unknown to rows that are no table's. */
export function preferencesOf({ prefer }: IncomingHttpHeaders, { isOfTables = false } = {}): Preferences {
  const wanted = (Array.isArray(prefer) ? prefer.join(',') : String(prefer ?? ''))
    .split(/[,;]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const isStrict = wanted.includes('handling=strict')
  const set: Preferences = { ...unset, isStrict, applied: [] }
  const unknown = wanted.filter((one) => !follow(set, one, isOfTables))
  if (isStrict && unknown.length > 0) refuse(refusals.preference(unknown.join(', ')))
  return set
}

/** Follows one preference; false where it is not known. */
function follow(set: Preferences, one: string, isOfTables: boolean): boolean {
  const [, rows] = /^max-affected=(\d{1,9})$/.exec(one) ?? []
  const [, timeZone] = /^timezone=([\w/+-]{1,64})$/.exec(one) ?? []
  // As in PostgREST the bound applies only where all preferences have to be followed.
  if (rows !== undefined) set.maxAffected = set.isStrict ? Number(rows) : undefined
  else if (timeZone !== undefined && isOfTables) set.timeZone = timeZone
  else if (Object.hasOwn(known, one)) Object.assign(set, known[one])
  else return false
  set.applied.push(one)
  return true
}

export interface ResponseShape {
  kind: 'list' | 'single' | 'table'
  withoutNulls: boolean
}

const types: Readonly<Record<string, ResponseShape['kind']>> = {
  '*/*': 'list',
  'application/*': 'list',
  'application/json': 'list',
  'application/vnd.pgrst.array+json': 'list',
  'application/vnd.pgrst.array': 'list',
  'application/vnd.pgrst.object+json': 'single',
  'application/vnd.pgrst.object': 'single',
  'text/csv': 'table',
}

/** Returns the shape of the first accepted type that is offered. */
export function shapeOf({ accept }: IncomingHttpHeaders): ResponseShape {
  if (accept === undefined || accept.trim() === '') return { kind: 'list', withoutNulls: false }
  for (const one of accept.split(',')) {
    const [type = '', ...options] = one.split(';').map((part) => part.trim().toLowerCase())
    if (Object.hasOwn(types, type))
      return { kind: types[type]!, withoutNulls: options.includes('nulls=stripped') }
  }
  return refuse(refusals.mediaType(accept))
}
