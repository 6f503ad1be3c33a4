/**
 * What reading a text costs, in processor time of this thread: other processes on the machine do not count. A text is a short unit
 * repeated; a reader that goes back over it shows in the ratio of 2n to n long before it stops anybody.
 */
import { expect } from 'vitest'

/** Short texts that make readers go back: what opens and never ends, runs, marks, joiners, and lines of each. */
export const units = [
  ' ', '<', '#', '|', '`', '*', '[', '(', '\n', '"', '\\', '\u200c', 'ي', '7', 'a ', '- ',
  'a', '_', '~', '>', '&', '{', '}', '=', '\r', '.', ',', '0,', '1. ', '> ', '# a ', '![](', '](', '[a](', '[^a]:', '<!--', '</', '<a ',
  '**a', '*a*', 'a`', 'a|', '|\n', '-\n', 'a\n', '| a |\n', 'http', 'https://a', '{"a":', '[,', '\ta', '😀', '\u0650', '۱', 'data: x\n', '/*', '\\"',
] // biome-ignore format: a table of units

/** The ways in which a run may stand: by itself, and between two letters. */
export const framed = (unit: string, length: number): string[] => {
  const run = unit.repeat(Math.floor(length / unit.length))
  return [run, `a${run}b`, `# a${run}\nb`]
}

const cpuMs = (since?: NodeJS.CpuUsage): NodeJS.CpuUsage => process.threadCpuUsage(since)
const total = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000

export function costOf(act: () => unknown): number {
  const before = cpuMs()
  act()
  return total(cpuMs(before))
}

export async function costOfAwaited(act: () => Promise<unknown>): Promise<number> {
  const before = cpuMs()
  await act()
  return total(cpuMs(before))
}

/** Twice the text may cost three times as much, and so many milliseconds for compiling and collecting garbage. */
const max = { ratio: 3, extraMs: 20 }
/** A measure that is suspicious is taken again: the least of them is the cost, all else is noise. */
const tries = 4

export async function expectLinear(
  name: string,
  cost: (length: number) => number | Promise<number>,
  { from, to }: { from: number; to: number },
): Promise<void> {
  let before = await cost(from)
  for (let length = 2 * from; length <= to; length *= 2) {
    let now = await cost(length)
    const isTooMuch = () => now > max.ratio * before + max.extraMs
    for (let again = 0; isTooMuch() && again < tries; again += 1) {
      now = Math.min(now, await cost(length))
      before = Math.max(before, await cost(length / 2))
    }
    if (isTooMuch()) expect.fail(`${name}: ${length} characters cost ${now} ms, half of them ${before} ms`)
    before = now
  }
}

/** The most processor time that one turn of the event loop took while something went on. */
export async function maxTurnLength(act: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = cpuMs()
  let isOver = false
  const look = (): void => {
    longest = Math.max(longest, total(cpuMs(before)))
    before = cpuMs()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await act()
  isOver = true
  return longest
}

export const maxTurnMs = 50

/** No turn of the loop takes longer; the least of some tries, since what compiles and collects at the first does not at the next. */
export async function expectNoHold(
  name: string,
  act: () => Promise<unknown>,
  maxMs = maxTurnMs,
): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let again = 0; again <= tries && least > maxMs; again += 1)
    least = Math.min(least, await maxTurnLength(act))
  expect(least, name).toBeLessThanOrEqual(maxMs)
}
