/** `KHERAD_WORKERS`: one address, several processes. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { setCaps } from '#platform/ledger'
import { openSite } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { chunk, done, stream } from '../../harness/upstream.ts'

const workersOf = (pid: number): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** An answer that says its last word when it is released. */
const heldStream = (released: Promise<void>) =>
  stream([chunk({ content: 'first' }), released, chunk({ content: ' last' }), chunk({}, 'stop'), done])

test('several workers serve one address; one that is killed is replaced and its hold ends; the stop waits for open streams', async () => {
  await using site = await openSite()
  const server = await site.start(site.databaseUrl, { KHERAD_WORKERS: '2', KHERAD_LOG_LEVEL: 'info' })
  const person = await site.person()
  const client = site.client(server, person)
  await until(() => server.log().includes('all workers serve'))
  const before = workersOf(server.child.pid!)
  const all = await Promise.all(Array.from({ length: 20 }, () => client.chat({ max_tokens: 5 })))
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))

  // Settlements of what it has just answered may still be on their way.
  process.kill(before[0]!, 'SIGKILL')
  await until(() => {
    const now = workersOf(server.child.pid!)
    return now.length === 2 && !now.includes(before[0]!)
  })
  // A connection that was kept to the killed one may break first.
  await until(async () => (await client.chat({ max_tokens: 5 }).catch(() => undefined))?.status === 200)
  // Afterwards no server lives that could end them.
  await site.healed()

  const release = Promise.withResolvers<void>()
  site.upstream.reply(heldStream(release.promise))
  const open = await client.raw(
    'POST',
    '/v1/chat/completions',
    JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  )
  const text = open.text()
  const stopped = server.stop()
  release.resolve()
  expect(await text).toContain('last')
  expect(await stopped).toBe(0)
  expect(workersOf(server.child.pid!)).toEqual([])
  await site.healed()
})

test('workers whose parent is killed finish what they have begun, settle it, and are gone', async () => {
  await using site = await openSite()
  const server = await site.start(site.databaseUrl, { KHERAD_WORKERS: '2', KHERAD_LOG_LEVEL: 'info' })
  await until(() => server.log().includes('all workers serve'))
  const person = await site.person()
  const release = Promise.withResolvers<void>()
  site.upstream.reply(heldStream(release.promise))
  const streams = Array.from({ length: 6 }, () =>
    site.client(server, person).chat({ stream: true, max_tokens: 50 }),
  )
  await until(() => site.upstream.calls.filter(({ bytesSent }) => bytesSent > 0).length === 6)
  const workers = workersOf(server.child.pid!)
  await server.kill()
  await until(async () => (await fetch(`${server.url}/health/live`).catch(() => undefined)) === undefined)
  release.resolve()
  for (const { text } of await Promise.all(streams)) expect(text).toContain('last')
  await until(() => !workers.some(isAlive))
  await site.healed()
  const receipts = await site.receipts(person)
  expect(receipts.map(({ ambiguous, status_code }) => [ambiguous, status_code])).toEqual(
    receipts.map(() => [false, 200]),
  )
  expect(receipts).toHaveLength(6)
})

test('two processes keep one limit: of many calls spread over both, exactly so many begin', async () => {
  await using site = await openSite()
  const [one, two] = [await site.start(), await site.start()]
  const person = await site.person()
  await site.db.tx((tx) => setCaps(tx, person.account, 'account', person.account, { ratePerMinute: 40 }))
  const body = { max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] }
  const calls = Array.from({ length: 120 }, (_, index) =>
    site.post(site.client(index % 2 === 0 ? one : two, person), '/v1/chat/completions', body, {}),
  )
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(40)
  expect(statuses.filter((status) => status === 429)).toHaveLength(80)
  await site.healed()
})
