import { parseAst } from 'vitest/node'
import { migrationOffences } from './migrations.ts'
import { isLeaseName, leaseNames, sqlClock } from './names.ts'
import type { ClockException, LeasePlace } from './places.ts'

export interface SourceFile {
  file: string
  code: string
}

export interface ClockRules {
  places: readonly LeasePlace[]
  exceptions: readonly ClockException[]
}

/**
 * One sentence for each clock of its own in what keeps leases, for each lease that is kept where no list names it, and for what the lists name in
 * vain.
 */
export function clockOffences(
  sources: readonly SourceFile[],
  migrations: readonly SourceFile[],
  { places, exceptions }: ClockRules,
): string[] {
  const unusedPlaces = new Set(places)
  const unusedExceptions = new Set(exceptions)
  const offences: string[] = []
  for (const { file, code } of sources) {
    const place = places.find(
      (one) => file === one.place || (one.place.endsWith('/') && file.startsWith(one.place)),
    )
    if (!place && !leaseNames.test(code)) continue
    const seen = look(code)
    const excused = exceptions.filter((one) => one.file === file)
    const used = seen.clocks.filter(({ clock }) => {
      const exception = excused.find((one) => one.clock === clock)
      if (exception) unusedExceptions.delete(exception)
      return !exception
    })
    if (place && (seen.leases.length > 0 || seen.isClocked)) unusedPlaces.delete(place)
    const [lease] = seen.leases
    if (!place && lease && excused.length === 0)
      offences.push(
        `${file}:${lease.line} ${lease.name}\n    a lease where scripts/clocks/places.ts names none`,
      )
    if (!place && !lease) continue
    for (const { line, clock } of used) offences.push(`${file}:${line} ${clock}\n    ${insteadOf(clock)}`)
  }
  return [
    ...offences,
    ...migrationOffences(migrations),
    ...[...unusedPlaces].map(
      ({ place }) => `${place}\n    named as a place of leases, and keeps none: delete it`,
    ),
    ...[...unusedExceptions].map(
      ({ file, clock }) => `${file} ${clock}\n    an exception that excuses nothing: delete it`,
    ),
  ]
}

const insteads: Readonly<Record<string, string>> = {
  'performance.now': 'ask steadyClock of #platform/clock',
  'Date.now': 'ask the clock of the app, or systemClock of #platform/clock',
  setInterval: 'use repetitions of #platform/clock',
}
const insteadOf = (clock: string): string => insteads[clock] ?? 'statements about leases ask platform.now()'

interface Seen {
  clocks: { line: number; clock: string }[]
  leases: { line: number; name: string }[]
  /** It asks one of the clocks that tests can move. */
  isClocked: boolean
}

interface SyntaxNode {
  type: string
  start: number
  [field: string]: unknown
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const ownClocks: ReadonlySet<string> = new Set(Object.keys(insteads))

function look(code: string): Seen {
  const seen: Seen = { clocks: [], leases: [], isClocked: false }
  const lineOf = ({ start }: SyntaxNode): number => code.slice(0, start).split('\n').length
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    if (!isNode(value)) return
    if (value.type === 'CallExpression') {
      const clock = calleeOf(value['callee'])
      if (clock !== undefined && ownClocks.has(clock)) seen.clocks.push({ line: lineOf(value), clock })
    }
    const name = value.type === 'Identifier' ? String(value['name']) : undefined
    if (name !== undefined && isLeaseName(name)) seen.leases.push({ line: lineOf(value), name })
    if (name === 'steadyClock' || name === 'systemClock' || name === 'repetitions') seen.isClocked = true
    const text = textOf(value)
    if (text !== undefined) {
      const lease = leaseNames.exec(text)
      if (lease) seen.leases.push({ line: lineOf(value), name: lease[0] })
      const clock = sqlClock.exec(text)
      if (clock) seen.clocks.push({ line: lineOf(value), clock: clock[0] })
    }
    for (const field of Object.values(value)) if (typeof field === 'object') visit(field)
  }
  visit(parseAst(code, { lang: 'ts' }))
  return seen
}

/** `performance.now` of `performance.now()`. */
function calleeOf(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined
  if (callee.type === 'Identifier') return String(callee['name'])
  if (callee.type !== 'MemberExpression') return undefined
  const [object, property] = [callee['object'], callee['property']]
  if (!isNode(object) || !isNode(property)) return undefined
  return `${String(object['name'])}.${String(property['name'])}`
}

/** Of a string, or of a piece of a template. */
function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type === 'TemplateElement') return (node['value'] as { raw: string }).raw
  return undefined
}
