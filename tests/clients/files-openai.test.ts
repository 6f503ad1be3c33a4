/** Stored files with the official OpenAI client: a purpose, an end, and the kinds that people send. */
import OpenAI, { toFile } from 'openai'
import { expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'

async function clientOf(world: World): Promise<OpenAI> {
  const { secret } = await world.key()
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey: secret, maxRetries: 0 })
}

test('a PDF is stored with its purpose and its end, read byte for byte as an attachment, listed and deleted', async () => {
  await using world = await sharedWorld()
  const client = await clientOf(world)
  const pdf = Buffer.from('%PDF-1.7\n%%EOF\n')
  const made = await client.files.create({
    file: await toFile(pdf, 'قرارداد.pdf'),
    purpose: 'user_data',
    expires_after: { anchor: 'created_at', seconds: 3_600 },
  })
  expect(made).toMatchObject({ purpose: 'user_data', bytes: pdf.length, media_type: 'application/pdf' })
  const reply = await client.files.content(made.id)
  expect(Buffer.from(await reply.arrayBuffer())).toEqual(pdf)
  expect(reply.headers.get('content-disposition')).toContain('attachment')
  const listed = await client.files.list()
  expect(listed.data.map(({ id, purpose }) => [id, purpose])).toEqual([[made.id, 'user_data']])
  expect(await client.files.delete(made.id)).toMatchObject({ id: made.id, object: 'file', deleted: true })
  await expect(client.files.content(made.id)).rejects.toThrow(OpenAI.NotFoundError)
})

test('an end that comes too soon or too late is its BadRequestError, with the name of the field', async () => {
  await using world = await sharedWorld()
  const client = await clientOf(world)
  for (const seconds of [3_599, 2_592_001]) {
    const file = await toFile(Buffer.from('a,b'), 'a.csv')
    const refused = client.files.create({
      file,
      purpose: 'assistants',
      expires_after: { anchor: 'created_at', seconds },
    })
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'expires_after.seconds' })
  }
})

test('the client walks over three pages in either order, each file once, and by purpose', async () => {
  await using world = await sharedWorld()
  const client = await clientOf(world)
  const made: string[] = []
  for (const [n, purpose] of (
    ['user_data', 'assistants', 'user_data', 'user_data', 'assistants'] as const
  ).entries())
    made.push((await client.files.create({ file: await toFile(Buffer.from('a,b'), `${n}.csv`), purpose })).id)
  const idsOf = async (query: OpenAI.FileListParams): Promise<string[]> => {
    const ids: string[] = []
    for await (const { id } of client.files.list(query)) ids.push(id)
    return ids
  }
  expect(await idsOf({ limit: 2 })).toEqual(made.toReversed())
  expect(await idsOf({ limit: 2, order: 'asc' })).toEqual(made)
  expect(await idsOf({ limit: 1, purpose: 'assistants' })).toEqual([made[4], made[1]])
  expect(await idsOf({ purpose: 'vision' })).toEqual([])
  const page = await client.files.list({ limit: 2, after: made[4]! })
  expect([page.has_more, page.data.map(({ id }) => id)]).toEqual([true, [made[3], made[2]]])
  const body = await client.get('/files', { query: { limit: 2, after: made[4] } })
  expect(body).toMatchObject({ object: 'list', first_id: made[3], last_id: made[2] })
})

test('one cursor by two names is refused where the two differ', async () => {
  await using world = await sharedWorld()
  const client = await clientOf(world)
  const file = await toFile(Buffer.from('a,b'), 'a.csv')
  const { id } = await client.files.create({ file, purpose: 'user_data' })
  const list = (query: Record<string, string>) => client.get('/files', { query })
  await expect(list({ after: id, after_id: id })).resolves.toMatchObject({ data: [], has_more: false })
  const other = '01890000-0000-7000-8000-000000000000'
  await expect(list({ after: id, after_id: other })).rejects.toMatchObject({ status: 400, param: 'after' })
})

test('a file is retrieved as its record, and its content as its bytes, also where it is JSON', async () => {
  await using world = await sharedWorld()
  const client = await clientOf(world)
  const key = await world.key()
  const bytes = Buffer.from('{"شهر": "تهران"}')
  const made = await client.files.create({ file: await toFile(bytes, 'شهر.json'), purpose: 'user_data' })
  expect(made).toMatchObject({
    object: 'file',
    filename: 'شهر.json',
    status: 'processed',
    bytes: bytes.length,
  })
  expect(await client.files.retrieve(made.id)).toEqual(made)
  expect(await (await client.files.content(made.id)).text()).toBe(bytes.toString())
  // Whoever takes anything gets the bytes, as ever.
  for (const accept of ['*/*', 'application/json, text/plain, */*', ''])
    expect((await key.get(`/v1/files/${made.id}`, { accept })).text).toBe(bytes.toString())
})
