/**
 * Loaded into a server under measurement (`NODE_OPTIONS=--import=…/resources-probe.ts`): at SIGUSR2 it collects garbage once and writes what
 * is alive then into the file `BENCH_RESOURCES`. Timers are counted by wrapping the functions that set them, since
 * `process.getActiveResourcesInfo()` leaves out those that do not keep the process alive. (`v8.queryObjects` would count everything, and
 * stop a server with 4,000 streams for seconds.)
 */
import { renameSync, writeFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Resources {
  /** Set and neither cleared nor over; not those that Node's own modules set. */
  timers: number
  /** Sockets, servers, timers and requests that keep the process alive. */
  handles: number
  heapMegabytes: number
}

const file = process.env['BENCH_RESOURCES']
const timers: Record<string, unknown> = createRequire(import.meta.url)('node:timers')
const alive = new Set<NodeJS.Timeout>()
const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis
const { refresh } = Object.getPrototypeOf(setTimeout(() => {}, 0).unref()) as NodeJS.Timeout

replace('setTimeout', (ring: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
  const timer = setTimeout(() => {
    alive.delete(timer)
    ring(...args)
  }, ms)
  alive.add(timer)
  return timer
})
replace('setInterval', (ring: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
  const timer = setInterval(ring, ms, ...args)
  alive.add(timer)
  return timer
})
replace('clearTimeout', (timer?: NodeJS.Timeout) => {
  alive.delete(timer!)
  clearTimeout(timer)
})
replace('clearInterval', (timer?: NodeJS.Timeout) => {
  alive.delete(timer!)
  clearInterval(timer)
})
Object.getPrototypeOf(setTimeout(() => {}, 0).unref()).refresh = function (this: NodeJS.Timeout) {
  alive.add(this)
  return refresh.call(this)
}
syncBuiltinESMExports()

function replace(name: keyof typeof globalThis & string, by: object): void {
  const original = globalThis[name] as object
  // Keeps the promise form of the original.
  Object.defineProperties(by, Object.getOwnPropertyDescriptors(original))
  Object.assign(globalThis, { [name]: by })
  timers[name] = by
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

process.on('SIGUSR2', () => {
  if (file === undefined) return
  collect()
  const resources: Resources = {
    timers: alive.size,
    handles: process.getActiveResourcesInfo().length,
    heapMegabytes: process.memoryUsage().heapUsed / 2 ** 20,
  }
  writeFileSync(`${file}.new`, JSON.stringify(resources))
  renameSync(`${file}.new`, file)
})
