/** Clients that arrive together, while the server has no time for them. */
import { existsSync, readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { Connections, openListener } from '#platform/http'

const count = 1_000
const limitPath = '/proc/sys/net/core/somaxconn'
const isKept = existsSync(limitPath) && Number(readFileSync(limitPath, 'utf8')) >= count

const clients = `
  const { connect } = require('node:net')
  const { port, count, connected } = require('node:worker_threads').workerData
  for (let client = 0; client < count; client++)
    connect(port, '127.0.0.1', () => {
      Atomics.add(connected, 0, 1)
      Atomics.notify(connected, 0)
    })
`

test.skipIf(!isKept)('a thousand clients are connected while the server accepts none of them', async () => {
  const connections = new Connections()
  const serve = () => undefined
  const { port, drain } = await openListener({ host: '127.0.0.1', port: 0, serve }, connections)
  const connected = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(clients, { eval: true, workerData: { port, count, connected } })
  // This thread is the server's: it accepts nothing before the end of the loop, so the kernel alone keeps them.
  let seen = 0
  while (seen < count && Atomics.wait(connected, 0, seen, 20_000) !== 'timed-out')
    seen = Atomics.load(connected, 0)
  await worker.terminate()
  await drain({ drainMs: 0 })
  expect(seen).toBe(count)
})
