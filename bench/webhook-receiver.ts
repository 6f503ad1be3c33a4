/**
 * A receiver of webhooks in a separate process: answers 204 at once over HTTPS. Prints its port, and its count of deliveries for each line
 * on standard input.
 */
import { once } from 'node:events'
import { createServer } from 'node:https'
import { createInterface } from 'node:readline'

const tls = JSON.parse(process.argv[2]!) as { key: string; cert: string }
let count = 0
const server = createServer({ ...tls, keepAliveTimeout: 30_000 }, (request, response) => {
  request.resume().on('end', () => {
    count += 1
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log((server.address() as { port: number }).port)
createInterface({ input: process.stdin }).on('line', () => console.log(count))
