/** What a key with only `agents:write` may do with the work it has started (decisions §5). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client, Seen } from '../harness/client.ts'
import { agentOf, answers, run } from './agents-world.ts'
import {
  bootWork,
  cancel,
  create,
  ended,
  eventsOf,
  fileOf,
  path,
  read,
  type WorkWorld,
} from './work-world.ts'

let at: WorkWorld
let runner: Client
let agent: string
beforeAll(async () => {
  at = await bootWork()
  runner = await at.world.key({ scopes: ['agents:write'] })
  agent = await agentOf(runner, { kind: 'research' })
})
afterAll(() => at[Symbol.asyncDispose]())

const started = async (by: Client): Promise<Seen> => {
  answers(at, { text: 'Written.' })
  const reply = await run(by, agent)
  expect(reply.status, reply.text).toBe(202)
  return reply
}
const nowhere = '00000000-0000-7000-8000-000000000000'
/** Every route of one run. */
const routesOf = (by: Client, id: string): Promise<Seen>[] => [
  read(by, id),
  by.get(`${path}/${id}/events`),
  by.get(`${path}/${id}/files?path=report.md`),
  by.get(`${path}/${id}/files?bundle=1`),
  cancel(by, id),
]

test('the key that started a run reads it, follows it, takes its files and cancels it with agents:write alone', async () => {
  const { body } = await started(runner)
  const done = await ended(runner, body.id)
  expect(done).toMatchObject({ status: 'succeeded', files: [{ path: 'report.md' }, {}] })
  const followed = await runner.get(`${path}/${body.id}/events`)
  expect(eventsOf(followed.text).at(-1)).toMatchObject({ event: 'succeeded' })
  expect(await (await fileOf(runner, body.id, 'path=report.md')).text()).toContain('Written.')
  expect((await fileOf(runner, body.id, 'bundle=1')).status).toBe(200)
  expect(await cancel(runner, body.id)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  const { promise, resolve } = Promise.withResolvers<void>()
  at.play('hello there', async () => void (await promise))
  const running = await started(runner)
  expect((await cancel(runner, running.body.id)).status).toBe(200)
  resolve()
  expect(await ended(runner, running.body.id)).toMatchObject({ status: 'cancelled' })
  at.play('hello there', async (context) => {
    await context.saveFile({
      path: 'report.md',
      bytes: Buffer.from('x'),
      mediaType: 'text/markdown',
      title: 'x',
    })
    return undefined
  })
})

test('of a run that another key has started it needs the scope, and hears no more of it than of one that is not there', async () => {
  const { body } = await started(at.key)
  await ended(at.key, body.id)
  const written = await create(at.key)
  await ended(at.key, written.body.id)
  for (const id of [body.id, written.body.id, nowhere])
    for (const [index, reply] of (await Promise.all(routesOf(runner, id))).entries()) {
      expectRefusal(reply, { status: 403, code: 'INSUFFICIENT_SCOPE' })
      expect(reply.body.error.message).toContain(index === 4 ? 'work:write' : 'files:read')
    }
})

test('the list of runs, and starting work, need their own scopes still', async () => {
  expectRefusal(await runner.get(path), { status: 403, code: 'INSUFFICIENT_SCOPE' })
  expectRefusal(await create(runner), { status: 403, code: 'INSUFFICIENT_SCOPE' })
})

test('work:write alone does not read what it has started, nor does files:read cancel it', async () => {
  const writer = await at.world.key({ scopes: ['work:write'] })
  const { body } = await create(writer)
  for (const reply of (await Promise.all(routesOf(writer, body.id))).slice(0, 4))
    expectRefusal(reply, { status: 403, code: 'INSUFFICIENT_SCOPE' })
  await ended(at.key, body.id)
  const both = await at.world.key({ scopes: ['files:read', 'agents:write'] })
  expect((await read(both, body.id)).status).toBe(200)
  expectRefusal(await cancel(both, body.id), { status: 403, code: 'INSUFFICIENT_SCOPE' })
})

test('a run of another account or project is as one that is not there', async () => {
  const { body } = await started(runner)
  await ended(runner, body.id)
  const neighbour = await at.world.key({ project: await at.world.newProject() })
  for (const who of [neighbour, (await at.world.stranger()).client])
    for (const reply of await Promise.all(routesOf(who, body.id)))
      expectRefusal(reply, { status: 404, code: 'NOT_FOUND', param: 'id' })
})
