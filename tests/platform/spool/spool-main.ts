/** A process that takes a file and tells where it lies, until it is killed. */
import { setInterval } from 'node:timers'
import { openSpool } from '#platform/spool'

const spool = await openSpool({ folder: process.argv[2]!, maxBytes: 100 })
async function* some() {
  yield new Uint8Array(10)
}
const { path } = await spool.write(some(), { maxBytes: 10 })
process.stdout.write(`${path}\n`)
setInterval(() => {}, 60_000)
