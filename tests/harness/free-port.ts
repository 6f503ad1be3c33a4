import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the range of ephemeral ports: between the check and the use, the system assigns the port to no other process, neither to a server
 * that listens on port 0 nor to an outgoing connection. Concurrent runners start at different positions.
 */
const lowest = 10_000
const highest = 32_000
let next = lowest + ((process.pid * 97) % (highest - lowest))

/** A port without a listener, which this process has not used before; shared by tests and benchmarks. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next
    next = next < highest ? next + 1 : lowest
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
