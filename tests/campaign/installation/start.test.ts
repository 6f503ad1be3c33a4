/** The start and the end of a server with two listeners, as an operator runs it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileCache } from '../../harness/compile-cache.ts'
import { freePort } from '../../harness/free-port.ts'
import { hostRequest } from '../../harness/host-request.ts'
import { type ClonedDatabase, cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { boot } from '../../harness/world.ts'

let database: ClonedDatabase
beforeAll(async () => {
  database = await cloneDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** Another program on this port. */
async function occupy(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Two ports beside each other, the upper one taken. */
async function besideTaken(): Promise<{ port: number; other: Server }> {
  for (;;) {
    const port = await freePort()
    const other = await occupy(port + 1).catch(() => undefined)
    if (other) return { port, other }
  }
}

/** A port whose upper neighbour is free too, for no other process beside this one. */
async function besideFree(): Promise<number> {
  for (let port = await freePort(); ; ) {
    const next = await freePort()
    if (next === port + 1) return port
    port = next
  }
}

/** Starts a server that is refused, and answers how it ended. */
async function refused(env: Record<string, string>) {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: path.resolve(import.meta.dirname, '../../..'),
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      KHERAD_DATA: '/nonexistent/kherad',
      ...env,
    },
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

describe('a taken port of the second listener', () => {
  test.each(['1', '2'])(
    'that nobody named does not stop the API, which says so, with %s workers',
    async (workers) => {
      const { port, other } = await besideTaken()
      await using server = await startProcess({
        databaseUrl: database.url,
        // Empty counts as not named.
        env: { KHERAD_PORT: String(port), KHERAD_APPS_PORT: '', KHERAD_WORKERS: workers },
      })
      // Two pipes, of which neither waits for the other, nor for the answer that the server is ready.
      const warnings = () =>
        server.log().match(/"level":40[^\n]*the port of sites and clouds is taken[^\n]*\n/g)
      await until(() => server.out().includes('KHERAD_APPS_PORT to a free port') && warnings())
      expect(server.out()).toMatch(
        new RegExp(`Port ${port + 1} is taken by another program: sites and clouds are not served`),
      )
      expect(server.out()).toContain('در اختیار برنامهٔ دیگری است: سایت‌ها و بک‌اندها داده نمی‌شوند')
      expect(warnings()).toHaveLength(1)
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
      other.close()
      expect(await server.stop()).toBe(0)
    },
  )

  test('that was named stops the start before anything is made, by its name', async () => {
    const { port, other } = await besideTaken()
    const named = String(port + 1)
    for (const more of [{}, { KHERAD_WORKERS: '2' }]) {
      const { code, out, err } = await refused({
        KHERAD_PORT: String(port),
        KHERAD_APPS_PORT: named,
        ...more,
      })
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toMatch(new RegExp(`127.0.0.1:${named} is taken by .*set KHERAD_APPS_PORT to a free port`))
      expect(err).toMatch(/KHERAD_APPS_PORT را به درگاهی آزاد/)
    }
    other.close()
  })
})

test('off opens no second listener', async () => {
  await using world = await boot({ env: { KHERAD_APPS_PORT: 'off' } })
  expect(world.kherad.apps).toBeUndefined()
  expect((await fetch(`${world.url}/health/live`)).status).toBe(200)
})

test('a process that only works opens none either', async () => {
  await using world = await boot({ roles: { api: false, worker: true } })
  expect(world.kherad.apps).toBeUndefined()
})

test('several workers serve both ports, and a stop lets both go', async () => {
  const server = await startProcess({
    databaseUrl: database.url,
    fromSource: true,
    env: { KHERAD_WORKERS: '2' },
  })
  await using _ = server
  await until(() => server.log().includes('all workers serve'))
  const hosts = Array.from({ length: 20 }, () => hostRequest(server.appsUrl, 'nobody.localhost'))
  for (const { status, text } of await Promise.all(hosts))
    expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 404, code: 'HOST_NOT_FOUND' })
  await until(() => server.out().includes(`sites and clouds: ${server.appsUrl}`))
  expect(await server.stop()).toBe(0)
  const again = await occupy(Number(new URL(server.appsUrl).port))
  again.close()
})

test('without a name the port is the one above that of the API', async () => {
  const port = await besideFree()
  await using _ = await startProcess({
    databaseUrl: database.url,
    env: { KHERAD_PORT: String(port), KHERAD_APPS_PORT: '' },
  })
  expect((await hostRequest(`http://127.0.0.1:${port + 1}`, 'nobody.localhost')).status).toBe(404)
})
