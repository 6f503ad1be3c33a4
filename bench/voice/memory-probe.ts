/**
 * Loaded into the server that is measured (`NODE_OPTIONS=--import=…/memory-probe.ts`): at SIGUSR2 it collects garbage and writes what is left into the
 * file `BENCH_MEMORY`. Unlike bench/resources-probe.ts it wraps nothing, so that it costs nothing meanwhile.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Memory {
  residentMegabytes: number
  heapMegabytes: number
  /** Outside of the heap: buffers, and the memory of WebAssembly. */
  externalMegabytes: number
}

const file = process.env['BENCH_MEMORY']
setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

process.on('SIGUSR2', () => {
  if (file === undefined) return
  collect()
  collect()
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const memory: Memory = {
    residentMegabytes: rss / 2 ** 20,
    heapMegabytes: heapUsed / 2 ** 20,
    externalMegabytes: (external + arrayBuffers) / 2 ** 20,
  }
  writeFileSync(`${file}.new`, JSON.stringify(memory))
  renameSync(`${file}.new`, file)
})
