/**
 * Requests an address repeatedly on one connection until it receives the message to stop; then reports the milliseconds of each answer.
 * Started by uploads.ts, and by voice/floods.ts with the milliseconds between two requests.
 */
import { Agent, get } from 'node:http'

const url = process.argv[2]!
const everyMs = Number(process.argv[3] ?? 20)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const took: number[] = []
process.on('message', () => process.send!(took, () => process.exit(0)))

for (;;) {
  const beganMs = performance.now()
  await new Promise<void>((resolve, reject) => {
    get(url, { agent }, (reply) => reply.resume().on('end', resolve)).on('error', reject)
  })
  took.push(performance.now() - beganMs)
  await new Promise((resolve) => setTimeout(resolve, everyMs))
}
