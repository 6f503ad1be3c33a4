import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the range of ephemeral ports: between the check and the use, the system assigns the port to no other process, neither to a server
 * that listens on port 0 nor to an outgoing connection.
 */
const lowest = 10_000
const highest = 32_000
const blockSize = 100
const blocks = (highest - lowest) / blockSize

/**
 * Processes beside each other (workers of one run, and other runs) take ports from blocks of their own: a block belongs to whoever
 * listens at its first port, which ends with the process however it ends.
 */
let block = (process.pid * 31) % blocks
let next = 0
let last = -1

/** A port without a listener, which no process beside this one is given and which this one has not used before. */
export async function freePort(): Promise<number> {
  for (;;) {
    if (next > last) await takeBlock()
    const port = next++
    const server = await listenAt(port)
    if (!server) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

async function takeBlock(): Promise<void> {
  for (let tries = 0; tries < blocks; tries++) {
    block = (block + 1) % blocks
    const first = lowest + block * blockSize
    const server = await listenAt(first)
    if (!server) continue
    server.unref()
    // Two calls at once may both have come here: each has a block then, and the later one is used.
    next = first + 1
    last = first + blockSize - 1
    return
  }
  throw new Error(`every block of ports between ${lowest} and ${highest} is taken`)
}

async function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  )
}
