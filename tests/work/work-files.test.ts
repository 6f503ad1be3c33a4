/** Data analyses of stored files: a run names them, and reads them completely. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { formOf } from '../harness/form.ts'
import { startMs } from '../harness/until.ts'
import { bootWithTools, type ToolsWorld } from '../text/tools-world.ts'
import { create, ended, fileOf } from './work-world.ts'

let at: ToolsWorld
beforeAll(async () => {
  at = await bootWithTools('chat', { credits: 100_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

const csv = 'شهر,فروش\nتهران,۱۲\nکرمان,۷\nيزد,۱۱\n'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg==',
  'base64',
)
const input = 'جمع فروش هر شهر را حساب کن.'

async function stored(by: Client, bytes: Uint8Array | string = csv, name = 'فروش.csv'): Promise<string> {
  const { body, headers } = formOf({ bytes: Buffer.from(bytes), name })
  const made = await by.request('POST', '/v1/files', body, headers)
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

const plan = JSON.stringify({
  title: 'فروش',
  views: [{ title: 'فروش هر شهر', by: 'شهر', measure: 'sum', column: 'فروش', chart: 'bar' }],
})

async function manifestText(id: string): Promise<string> {
  const { body } = await at.key.get(`/v1/work/${id}`)
  const texts = body.files.filter(({ path }: { path: string }) => path.endsWith('.md'))
  const read = texts.map(async ({ path }: { path: string }) =>
    (await fileOf(at.key, id, `path=${encodeURIComponent(path)}`)).text(),
  )
  return (await Promise.all(read)).join('\n')
}

test(
  'a run reads the file that it names, and says which it was given',
  async () => {
    const id = await stored(at.key)
    at.answers({ text: plan }, { text: 'مجموع فروش {{f1}} است.' })
    const { body } = await create(at.key, { kind: 'data', input, file_ids: [id] })
    const run = await ended(at.key, body.id)
    expect(run).toMatchObject({ status: 'succeeded', file_ids: [id] })
    expect(await manifestText(body.id)).toContain('۳۰')
  },
  startMs,
)

test(
  'a file that was deleted meanwhile is reported in words, and its owner may delete it',
  async () => {
    const [remaining, gone] = [await stored(at.key), await stored(at.key, `${csv}اهواز,۵\n`, 'دوم.csv')]
    at.answers({ text: plan }, { text: 'مجموع فروش {{f1}} است.' })
    // The first file comes only once the second is deleted.
    const { storage } = at.world.app
    const deleted = Promise.withResolvers<void>()
    const get = storage.get
    storage.get = async (...ask) => {
      await deleted.promise
      return get(...ask)
    }
    const { body } = await create(at.key, { kind: 'data', input, file_ids: [remaining, gone] })
    const removed = await at.key.request('DELETE', `/v1/files/${gone}`)
    expect(removed.status).toBe(200)
    storage.get = get
    deleted.resolve()
    const run = await ended(at.key, body.id)
    expect(run).toMatchObject({ status: 'succeeded', is_partial: true, file_ids: [remaining, gone] })
    expect(await manifestText(body.id)).toContain('دوم.csv')
  },
  startMs,
)

describe('refused before anything is kept or held', () => {
  const nobody = '01900000-0000-7000-8000-000000000000'
  async function refused(body: Record<string, unknown>, refusal: Parameters<typeof expectRefusal>[1]) {
    await at.world.settled()
    const before = await at.world.balance()
    const reply = await create(at.key, { kind: 'data', input, ...body })
    expectRefusal(reply, refusal)
    expect(await at.world.balance()).toEqual(before)
  }

  test('a file that is none, and one of another project, look alike', async () => {
    const { client } = await at.world.stranger()
    const theirs = await stored(client)
    const own = await stored(at.key)
    for (const other of [nobody, theirs]) {
      const reply = { status: 404, code: 'FILE_NOT_FOUND', param: 'file_ids.1' }
      await refused({ file_ids: [own, other] }, reply)
    }
  })

  test('no id, twice the same, and more than ten', async () => {
    const refusal = { status: 400, code: 'INVALID_REQUEST' }
    await refused({ file_ids: ['x'] }, { ...refusal, param: 'file_ids.0' })
    await refused({ file_ids: [nobody, nobody] }, { ...refusal, param: 'file_ids' })
    const many = Array.from({ length: 11 }, (_, n) => nobody.replace(/..$/, String(10 + n)))
    await refused({ file_ids: many }, { ...refusal, param: 'file_ids' })
  })

  test('a picture, and a kind of work that reads no files', async () => {
    const refusal = { status: 400, code: 'INVALID_REQUEST' }
    await refused({ file_ids: [await stored(at.key, png, 'a.png')] }, { ...refusal, param: 'file_ids.0' })
    const id = await stored(at.key)
    await refused({ kind: 'document', file_ids: [id] }, { ...refusal, param: 'file_ids' })
  })
})

test(
  'an agent of data takes files of its project; one that answers at once does not',
  async () => {
    const id = await stored(at.key)
    const agent = async (kind: string): Promise<string> =>
      (await at.key.post('/v1/agents', { name: 'تحلیلگر', kind })).body.id
    at.answers({ text: plan }, { text: 'مجموع فروش {{f1}} است.' })
    const made = await at.key.post(`/v1/agents/${await agent('data')}/runs`, { input, file_ids: [id] })
    expect(made.status, made.text).toBe(202)
    expect(await ended(at.key, made.body.id)).toMatchObject({ status: 'succeeded', file_ids: [id] })
    const reply = await at.key.post(`/v1/agents/${await agent('chat')}/runs`, { input, file_ids: [id] })
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: 'file_ids' })
  },
  startMs,
)
