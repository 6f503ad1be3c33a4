/** Stored files with the official OpenAI client: a purpose, an end, and the kinds that people send. */
import OpenAI, { toFile } from 'openai'
import { expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'

test('a PDF is stored with its purpose and its end, read byte for byte as an attachment, listed and deleted', async () => {
  await using world = await sharedWorld()
  const { secret } = await world.key()
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: secret, maxRetries: 0 })
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
  expect(await client.files.delete(made.id)).toMatchObject({ id: made.id, deleted: true })
  await expect(client.files.content(made.id)).rejects.toThrow(OpenAI.NotFoundError)
})

test('an end that comes too soon or too late is its BadRequestError, with the name of the field', async () => {
  await using world = await sharedWorld()
  const { secret } = await world.key()
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: secret, maxRetries: 0 })
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
