/**
 * Loaded into a server under measurement (`NODE_OPTIONS=--import=…/resources-probe.ts`): at SIGUSR2 it collects garbage and writes what is
 * alive then into the file `BENCH_RESOURCES`. Objects are counted in the heap, so that timers that do not keep the process alive are counted
 * as well; `process.getActiveResourcesInfo()` leaves those out.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { queryObjects } from 'node:v8'

export interface Resources {
  timers: number
  sockets: number
  promises: number
  signals: number
  heapMegabytes: number
}

const timer = setTimeout(() => {}, 0)
clearTimeout(timer)
const file = process.env['BENCH_RESOURCES']

process.on('SIGUSR2', () => {
  if (file === undefined) return
  const alive = (made: Parameters<typeof queryObjects>[0]): number => queryObjects(made, { format: 'count' })
  const resources: Resources = {
    timers: alive(timer.constructor),
    sockets: alive(Socket),
    promises: alive(Promise),
    signals: alive(AbortSignal),
    heapMegabytes: process.memoryUsage().heapUsed / 2 ** 20,
  }
  writeFileSync(`${file}.new`, JSON.stringify(resources))
  renameSync(`${file}.new`, file)
})
