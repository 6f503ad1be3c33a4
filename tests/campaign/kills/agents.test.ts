/** Reports of agents, under kill -9 and a database whose replies are lost: delivered exactly once, never withdrawn. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../../contract/refusal.ts'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import type { Script } from '../../harness/upstream.ts'
import { call, says } from '../../text/scripted-answer.ts'
import { agentOf, run } from '../../work/agents-world.ts'

let site: Site
let person: Person
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site[Symbol.asyncDispose]())

const handsOff = call('c1', 'request_handoff', { reason: 'Wants a human.', summary: 'Nothing was said.' })

/** The first question is answered by the handoff, once `before` is done; what follows is the last answer. */
function script(before: () => void, last: () => Promise<Script | undefined>): void {
  site.upstream.calls.length = 0
  site.upstream.reply(async (asked) => {
    const isFirst = site.upstream.calls.length === 1
    if (isFirst) before()
    return (
      (!isFirst && (await last())) || says('chat', isFirst ? { calls: [handsOff] } : { text: 'Done.' }, asked)
    )
  })
}

const events = async (): Promise<number> => {
  const rows = await site.db.query(
    { text: `select from events.outbox where account_id = $1 and type = 'agent.handoff'` },
    [person.account],
  )
  return rows.length
}

test('a commit whose reply is lost is made sure of, and the event is reported once', async () => {
  person = await site.person()
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const server = await site.start(proxy.url)
  const client = site.client(server, person)
  const agent = await agentOf(client)
  const lost = Promise.withResolvers<void>()
  script(
    () => void proxy.loseReply(/\bcommit\b/).then(lost.resolve),
    async () => undefined,
  )
  const reply = await run(client, agent)
  await lost.promise
  expect(reply.body.agent_events, reply.text).toEqual(['agent.handoff'])
  expect(await events()).toBe(1)
  await site.healed()
  await server.stop()
})

test('killed after it was reported: it stays reported, and a repeat neither asks the model nor reports it again', async () => {
  person = await site.person()
  const server = await site.start()
  const client = site.client(server, person)
  const agent = await agentOf(client)
  script(
    () => {},
    () => new Promise(() => {}),
  )
  const headers = { 'idempotency-key': 'once and for all' }
  const cut = run(client, agent, {}, headers).catch(() => undefined)
  await until(() => site.upstream.calls.length === 2)
  await server.kill()
  expect(await cut).toBeUndefined()
  const next = site.client(await site.successor(), person)
  const again = await until(async () => {
    const reply = await run(next, agent, {}, headers)
    return reply.body.error?.code === 'IDEMPOTENCY_IN_PROGRESS' ? undefined : reply
  })
  expectRefusal(again, { status: 409, code: 'REQUEST_ALREADY_ACCEPTED' })
  expect(await events()).toBe(1)
  expect(site.upstream.calls).toHaveLength(2)
  await site.healed()
})
