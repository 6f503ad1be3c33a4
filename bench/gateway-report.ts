/** The tables of `bench:gateway`: medians of the rounds, and the ratios that were set as targets. */
import type { Side, Sides } from './gateway-sides.ts'
import { median, row, table } from './table.ts'

/** Of one side in one round. */
export interface Sample {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  failures: number
  /** Microseconds of CPU per call. */
  server: number
  database: number
}

/** Samples by phase and by side, one for each round. */
export type Measured = Record<string, Record<string, Sample[]>>

/** What is compared: of the samples of a side and of the upstream in the same round. */
const figures = {
  'req/s': ({ perSecond }: Sample) => perSecond,
  p50: ({ p50 }: Sample) => p50,
  p99: ({ p99 }: Sample) => p99,
  'added p50': ({ p50 }: Sample, upstream: Sample) => p50 - upstream.p50,
  'server CPU': ({ server }: Sample) => server,
  'database CPU': ({ database }: Sample) => database,
  'CPU with the database': ({ server, database }: Sample) => server + database,
} as const
type Figure = keyof typeof figures

interface Target {
  figure: Figure
  phase: string
  least?: number
  most?: number
}

const againstBefore: Target[] = [
  { figure: 'req/s', phase: '32', least: 1.6 },
  { figure: 'req/s', phase: '256', least: 1.6 },
  { figure: 'server CPU', phase: '1', most: 0.6 },
  { figure: 'server CPU', phase: '32', most: 0.6 },
  { figure: 'server CPU', phase: '256', most: 0.6 },
  { figure: 'database CPU', phase: '1', most: 0.55 },
  { figure: 'database CPU', phase: '32', most: 0.55 },
  { figure: 'database CPU', phase: '256', most: 0.55 },
  { figure: 'p50', phase: '1', most: 0.5 },
  { figure: 'p99', phase: '1', most: 0.6 },
  { figure: 'req/s', phase: 'streams', least: 1.7 },
]
const againstPeer: Target[] = [
  { figure: 'req/s', phase: '32', least: 2.5 },
  { figure: 'req/s', phase: '256', least: 2.5 },
  { figure: 'added p50', phase: '1', most: 1 },
  { figure: 'CPU with the database', phase: '32', most: 0.5 },
  { figure: 'CPU with the database', phase: '256', most: 0.5 },
]
const againstFloor: Target[] = [{ figure: 'req/s', phase: 'streams', least: 0.3 }]
/** A key with limits against one without. */
const withLimits: Target[] = [
  { figure: 'req/s', phase: '32', least: 0.9 },
  { figure: 'p50', phase: '32', most: 1.1 },
  { figure: 'p99', phase: '32', most: 1.1 },
  { figure: 'server CPU', phase: '32', most: 1.1 },
  { figure: 'database CPU', phase: '32', most: 1.1 },
]

const variantFigures: Figure[] = ['req/s', 'p50', 'p99', 'server CPU', 'database CPU']

export function report(sides: Sides, measured: Measured): void {
  const ratio = ratiosOf(sides, measured)
  printFigures(sides, measured)
  printVariants(sides, ratio, measured)
  const { own, before, peer, proxy } = sides
  table(['this code against', 'what', 'ratio (rounds)', 'target', ''])
  const compare = (other: Side, targets: Target[], side = own.plain, name = other.name): void => {
    for (const target of targets) row([name, ...judged(target, ratio(target, side, other))])
  }
  if (before) compare(before.plain, againstBefore)
  compare(peer, againstPeer)
  compare(proxy, againstFloor)
  compare(own.plain, withLimits, own.variants.limits, 'a key with limits, against one without')
}

function printFigures({ upstream, proxy, peer, own, before }: Sides, measured: Measured): void {
  const sides = [own.plain, ...(before ? [before.plain] : []), peer, proxy, upstream]
  for (const [phase, bySide] of Object.entries(measured)) {
    const what = phase === 'streams' ? 'streams of 100 events, 32 connections' : `connections: ${phase}`
    const rate = phase === 'streams' ? 'streams/s' : 'req/s'
    table([what, rate, 'p50 ms', 'p99 ms', 'added p50 ms', 'server CPU µs', 'database CPU µs', 'failures'])
    for (const side of sides) {
      const samples = bySide[side.name]!
      const fails = samples.some(({ perSecond }) => perSecond === 0)
      const show = (figure: Figure, digits: number): string => {
        const values = samples.map((sample, round) => figures[figure](sample, bySide[upstream.name]![round]!))
        return fails ? 'fails' : median(values).toFixed(digits)
      }
      const added = side === upstream ? ['', ''] : [show('added p50', 2), show('server CPU', 0)]
      const database = side === own.plain || side === before?.plain ? show('database CPU', 0) : ''
      const times = [show('req/s', 0), show('p50', 2), show('p99', 2)]
      row([side.name, ...times, ...added, database, failuresOf(samples)])
    }
    console.log('')
  }
}

const failuresOf = (samples: Sample[]): string =>
  String(samples.reduce((sum, { failures }) => sum + failures, 0))

type Ratios = (what: { figure: Figure; phase: string }, side: Side, other: Side) => number[]

/** Each round's own ratio, since the speed of a shared machine changes from round to round. */
function ratiosOf({ upstream }: Sides, measured: Measured): Ratios {
  return ({ figure, phase }, side, other) => {
    const bySide = measured[phase]!
    const of = ({ name }: Side): number[] =>
      bySide[name]!.map((sample, round) => figures[figure](sample, bySide[upstream.name]![round]!))
    const others = of(other)
    return of(side).map((value, round) => value / others[round]!)
  }
}

function printVariants({ own, before }: Sides, ratio: Ratios, measured: Measured): void {
  const columns = variantFigures.map((figure) => `${figure} ×`)
  table(['32 connections, against the plain row', ...columns, 'failures'])
  for (const { plain, variants } of before ? [own, before] : [own]) {
    for (const variant of Object.values(variants)) {
      const ratios = variantFigures.map((figure) => median(ratio({ figure, phase: '32' }, variant, plain)))
      const failures = failuresOf(measured['32']![variant.name]!)
      row([variant.name, ...ratios.map((each) => each.toFixed(2)), failures])
    }
  }
  console.log('')
}

function judged({ figure, phase, least, most }: Target, ratios: number[]): string[] {
  const where = phase === 'streams' ? 'streams of 100 events at 32' : `at ${phase}`
  const middle = median(ratios)
  const isMet = least === undefined ? middle <= most! : middle >= least
  const spread = [Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2)).join(' … ')
  const bound = least === undefined ? `≤ ${most}` : `≥ ${least}`
  return [`${figure} ${where}`, `${middle.toFixed(2)} (${spread})`, bound, isMet ? 'met' : 'missed']
}
