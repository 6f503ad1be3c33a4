/**
 * What a server runs in confinement stands still: the jail with the functions of a cloud, and a process that reads what came from outside. Whoever
 * waits for it is answered or told, within its bound; all else goes on, and so does the next call.
 */
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openConfinement, openIsolation } from '#platform/confined'
import { openLog } from '#platform/log'
import { onceTested } from '../../cloud/functions/scene.ts'
import type { TestPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { beginLoad } from './load.ts'
import { countsOf, expectPromises } from './promises.ts'
import { openPostgres, openSite, type Person, type Site } from './site.ts'
import { below, standStill, stop } from './stop.ts'

const seconds = [1, 5, 20]

describe('the jail of functions', () => {
  let cluster: TestPostgres & AsyncDisposable
  let site: Site
  let echo: Echo | undefined
  beforeAll(async () => {
    cluster = await openPostgres()
    site = await openSite(cluster, ['alone'])
    echo = await deployEcho(site, await site.person())
  })
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  test.for(seconds)('stands still for %i s', async (duration, { skip }) => {
    if (!echo) return skip('functions do not run here')
    const { child } = site.servers[0]!
    const person = await site.person()
    const load = await beginLoad(site, person)
    const calls: Echoed[] = []
    let isOn = true
    const callers = [0, 1, 2].map(async (at) => {
      for (let round = 0; isOn; round++) calls.push(await call(echo!, `${duration}-${at}-${round}`))
    })
    await pause(2_000)
    await standStill(() => stop(async () => confinedPids(child.pid!)), duration * 1_000)
    await pause(2_000)
    isOn = false
    await Promise.all([...callers, load.end()])
    console.log(
      `the jail, ${duration} s: ${calls.filter(({ saw }) => saw === 'answered').length} of ${calls.length}`,
    )
    console.log(`beside it: ${countsOf(load.calls)}`)

    for (const { name, saw, text } of calls) {
      expect(saw, `${name} is told its end in time`).not.toBe('hung')
      if (saw === 'answered') expect(text).toBe(`echo of ${name}`)
      else expect(JSON.parse(text), name).toMatchObject({ code: expect.any(String) })
    }
    // Nothing of this is the matter of those who call models.
    expect(load.calls.filter(({ saw }) => saw !== 'answered')).toEqual([])
    await expectPromises({ site, person, calls: load.calls, client: site.client(site.servers[0]!, person) })
    await until(async () => (await call(echo!, 'after')).saw === 'answered', 15_000)
  })
})

interface Echo {
  url: string
  publicKey: string
}

interface Echoed {
  name: string
  saw: 'answered' | 'refused' | 'hung'
  text: string
}

const code = `export default { async fetch(request) {
  const name = await request.text()
  await new Promise((resolve) => setTimeout(resolve, 100))
  return new Response('echo of ' + name)
} }`

/** A function that everybody may call; undefined where the machine can build no jail. */
async function deployEcho(site: Site, person: Person): Promise<Echo | undefined> {
  const [server] = site.servers
  const client = site.client(server!, person)
  const { id, ref } = (await client.post('/v1/cloud', { name: 'app', plan: 'starter' })).body
  const body = { name: 'echo', code, verify_jwt: false }
  const made = await onceTested(() => client.post(`/v1/cloud/${id}/functions`, body))
  if (made.body?.error?.code === 'FUNCTIONS_UNAVAILABLE') {
    console.log(`skipped, the jail of functions: ${made.text}`)
    return undefined
  }
  expect(made.status, made.text).toBe(201)
  const { public_key: publicKey } = (await client.get(`/v1/cloud/${id}/connection`)).body
  return { url: `${server!.appsUrl}/_cloud/${ref}/functions/v1/echo`, publicKey }
}

/** The longest that a function may take, with the stand-still. */
const callMs = 45_000

async function call({ url, publicKey }: Echo, name: string): Promise<Echoed> {
  const signal = AbortSignal.timeout(callMs)
  try {
    const reply = await fetch(url, { method: 'POST', body: name, headers: { apikey: publicKey }, signal })
    return { name, saw: reply.ok ? 'answered' : 'refused', text: await reply.text() }
  } catch (error) {
    if (!signal.aborted) throw error
    return { name, saw: 'hung', text: '' }
  }
}

async function confinedPids(server: number): Promise<number[]> {
  const pids = await below(server)
  expect(pids.length, 'processes below the server').toBeGreaterThan(0)
  return pids
}

describe('a confined process', () => {
  const wallMs = 8_000
  const confine = openConfinement(openLog('silent'), undefined, openIsolation())
  const read = (input: string) =>
    confine({
      module: path.join(import.meta.dirname, 'confined/slow-process.ts'),
      accountId: 'somebody',
      input,
      timeoutMs: 5_000,
      wallMs,
      maxOutputBytes: 100_000,
      signal: new AbortController().signal,
    })

  test.for(seconds)(
    'stands still for %i s: it answers, or is lost when its time is over',
    async (duration) => {
      const before = await below(process.pid)
      const started = async () => (await below(process.pid)).filter((pid) => !before.includes(pid))
      const reading = read('سلام')
      await until(async () => (await started()).length > 0)
      const lost = standStill(() => stop(started), duration * 1_000)
      expect(await reading).toEqual(duration * 1_000 > wallMs ? { lost: 'time' } : { value: 'سلام' })
      await lost
      expect(await started()).toEqual([])
      expect(await read('after')).toEqual({ value: 'after' })
    },
  )
})
