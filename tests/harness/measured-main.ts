/**
 * The server as `src/main.ts` starts it, which also measures how long its event loop is held: on SIGUSR2 it writes a line with what was longest
 * since the last one to standard error.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface MeasuredLoop {
  /** Processor time of the longest turn of the event loop: what others on the machine take does not count. */
  longestTurnMs: number
  /** By the clock. */
  p99Ms: number
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let longestTurnMs = 0
let before = process.threadCpuUsage()

function look(): void {
  const { user, system } = process.threadCpuUsage(before)
  longestTurnMs = Math.max(longestTurnMs, (user + system) / 1_000)
  before = process.threadCpuUsage()
  setImmediate(look).unref()
}
look()

process.on('SIGUSR2', () => {
  const measured: MeasuredLoop = { longestTurnMs, p99Ms: delay.percentile(99) / 1e6 }
  process.stderr.write(`event loop: ${JSON.stringify(measured)}\n`)
  longestTurnMs = 0
  delay.reset()
})

await import('./controlled-main.ts')
