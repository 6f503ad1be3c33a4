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

export function preferencesOf({ prefer }: IncomingHttpHeaders): Preferences {
  const set: Preferences = {
    answers: 'minimal',
    count: undefined,
    onConflict: 'refuse',
    leavesOut: false,
    maxAffected: undefined,
    rollsBack: false,
    applied: [],
  }
  const wanted = (Array.isArray(prefer) ? prefer.join(',') : String(prefer ?? ''))
    .split(/[,;]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const isStrict = wanted.includes('handling=strict')
  const unknown: string[] = []
  for (const one of wanted) {
    const [, rows] = /^max-affected=(\d{1,9})$/.exec(one) ?? []
    // As in PostgREST the bound applies only where all preferences have to be followed.
    if (rows !== undefined) {
      if (isStrict) set.maxAffected = Number(rows)
    } else if (Object.hasOwn(known, one)) Object.assign(set, known[one])
    else {
      unknown.push(one)
      continue
    }
    set.applied.push(one)
  }
  if (isStrict && unknown.length > 0) refuse(refusals.preference(unknown.join(', ')))
  return set
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
