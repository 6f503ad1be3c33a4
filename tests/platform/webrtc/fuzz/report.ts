/** What the fuzzer prints: a line for each minute, and a table at the end. */
import { cpus } from 'node:os'
import type { FuzzStats } from './fuzzer.ts'
import { targetNames } from './targets.ts'

export interface FuzzReport {
  seed: number
  seconds: number
  /** The first case, and the number of all. */
  from: number
  cases: number
  casesPerSecond: number
  node: string
  machine: string
  endedAt: string
  stats: FuzzStats
  /** How often each kind of finding came. */
  findings: Record<string, number>
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`

export const casesOf = ({ targets }: FuzzStats): number =>
  targetNames.reduce((sum, name) => sum + targets[name].cases, 0)

const refusedOf = ({ targets }: FuzzStats): number =>
  targetNames.reduce((sum, name) => sum + targets[name].refused, 0)

export function lineOf(seconds: number, stats: FuzzStats): string {
  const cases = targetNames.map((name) => `${name} ${stats.targets[name].cases}`).join(', ')
  const slowest = targetNames.toSorted((a, b) => stats.targets[b].slowestMs - stats.targets[a].slowestMs)[0]!
  const { slowestMs, slowest: number } = stats.targets[slowest]
  const rss = megabytes(process.memoryUsage().rss)
  return [
    `${Math.round(seconds)} s: ${cases}`,
    `refusals ${refusedOf(stats)}, dropped ${stats.dropped}`,
    `slowest ${slowestMs.toFixed(1)} ms (${slowest}, case ${number})`,
    `RSS ${rss}`,
  ].join('; ')
}

export function reportOf(
  run: { seed: number; from: number; seconds: number },
  stats: FuzzStats,
  findings: ReadonlyMap<string, number>,
): FuzzReport {
  const cases = casesOf(stats)
  return {
    ...run,
    seconds: Math.round(run.seconds),
    cases,
    casesPerSecond: Math.round(cases / run.seconds),
    node: process.version,
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    endedAt: new Date().toISOString(),
    stats,
    findings: Object.fromEntries(findings),
  }
}

export function markdownOf({ seed, seconds, cases, casesPerSecond, stats, findings }: FuzzReport): string {
  const rows = targetNames.map((name) => {
    const of = stats.targets[name]
    const meanMs = of.cases === 0 ? 0 : of.cpuMs / of.cases
    return `| ${name} | ${of.cases} | ${of.refused} | ${meanMs.toFixed(2)} | ${of.slowestMs.toFixed(1)} |`
  })
  const memory = stats.memory.map(
    ({ heldBytes, rssBytes }) => `${megabytes(heldBytes)} / ${megabytes(rssBytes)}`,
  )
  const found = Object.entries(findings).map(([what, times]) => `- ${times} × ${what}`)
  return [
    '| target | cases | refusals | mean CPU ms | slowest CPU ms |',
    '|---|---:|---:|---:|---:|',
    ...rows,
    '',
    `Seed ${seed}: ${cases} cases in ${seconds} s, ${casesPerSecond} a second; ${stats.dropped} datagrams dropped; ${stats.healthyCalls} healthy calls.`,
    `Held after a collection / RSS: ${memory[0] ?? '–'} at first, ${memory.at(-1) ?? '–'} at last.`,
    found.length === 0 ? 'No findings.' : `Findings:\n${found.join('\n')}`,
  ].join('\n')
}
