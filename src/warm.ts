/** Compiles, after the start, the schemas that a first request would wait for, one step per event loop turn, in the order of the routes. */
import { setTimeout as pause } from 'node:timers/promises'
import { compileSteps, type Route, type WarmStep } from '#platform/http'
import type { Log } from '#platform/log'

/** Pause between two steps: requests go first, and a machine with one core keeps half of it for them. */
const pauseMs = 5

/** Runs every step. Ends early when `signal` aborts. */
export async function warmUp(routes: readonly Route[], log: Log, signal: AbortSignal): Promise<void> {
  const beganMs = performance.now()
  let steps = 0
  // CPU time is measured: wall-clock time would include other processes on a busy machine.
  let slowest = { name: '', ms: 0 }
  for (const { name, run } of stepsOf(routes)) {
    await pause(pauseMs)
    if (signal.aborted) return
    const before = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1000
    if (ms > slowest.ms) slowest = { name, ms }
    steps++
  }
  log.debug(
    {
      steps,
      ms: Math.round(performance.now() - beganMs),
      longest: slowest.name,
      longest_cpu_ms: Math.round(slowest.ms),
    },
    'warm',
  )
}

/** The steps of all routes, made lazily: a schema is divided just before its units are compiled. */
function* stepsOf(routes: readonly Route[]): Generator<WarmStep> {
  for (const route of routes) yield* compileSteps(route)
}
