/** Reports which user it runs as, and whether it can connect to the server that started it. Started by isolation.ts. */
import { createConnection } from 'node:net'
import { json } from 'node:stream/consumers'

const { port } = (await json(process.stdin)) as { port: number }
const called = await new Promise<boolean>((resolve) => {
  createConnection(port, '127.0.0.1')
    .once('connect', () => resolve(true))
    .once('error', () => resolve(false))
})
const uid = process.getuid?.()
process.stdout.write(JSON.stringify({ uid, called }), () => process.exit(0))
