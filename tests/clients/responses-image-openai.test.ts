/** Images through the Responses API with the official OpenAI client. */
import OpenAI, { BadRequestError, PermissionDeniedError } from 'openai'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json } from '../harness/upstream.ts'
import { halves, type ImagesWorld, shareOnImages, withPictures } from '../media/images-world.ts'
import { explained } from '../text/chat-world.ts'
import { pictureIn } from '../text/responses-image-oracle.ts'

let at: ImagesWorld
let client: OpenAI
beforeAll(async () => {
  at = await shareOnImages()
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterAll(() => at[Symbol.asyncDispose]())

const tools = (tool: Partial<OpenAI.Responses.Tool.ImageGeneration> = {}): OpenAI.Responses.Tool[] => [
  { type: 'image_generation', ...tool },
]
const drawnIn = ({
  output,
}: OpenAI.Responses.Response): OpenAI.Responses.ResponseOutputItem.ImageGenerationCall => {
  const [item] = output
  if (item?.type !== 'image_generation_call') throw new Error('no picture')
  return item
}
const bytesOf = ({ result }: OpenAI.Responses.ResponseOutputItem.ImageGenerationCall): Buffer =>
  Buffer.from(result ?? '', 'base64')

test.each(['test/painter', 'sandbox/image'])(
  '%s: create() gives the picture, and its receipt is found',
  async (model) => {
    const asked = { model, input: 'گربه', tools: tools({ output_format: 'webp', quality: 'low' }) }
    const { data, request_id: id } = await client.responses.create(asked).withResponse()
    expect((await sharp(bytesOf(drawnIn(data))).metadata()).format).toBe('webp')
    expect(await explained(at.key, id!)).toMatchObject({ model, state: 'completed' })
  },
)

test.each(['test/painter', 'sandbox/image'])(
  '%s: the stream helper ends with the same response as a whole answer',
  async (model) => {
    const asked = { model, input: 'a cat', tools: tools({ size: '1024x1536' }) }
    const helper = client.responses.stream(asked)
    const types: string[] = []
    for await (const { type } of helper) types.push(type)
    const streamed = await helper.finalResponse()
    expect(types).toContain('response.image_generation_call.generating')
    expect(types.at(-1)).toBe('response.completed')
    expect(bytesOf(drawnIn(streamed))).toEqual(bytesOf(drawnIn(await client.responses.create(asked))))
    const { output_parsed: _, ...plain } = JSON.parse(JSON.stringify(streamed))
    pictureIn(plain)
    await at.world.settled()
  },
)

test('a picture is edited over two turns', async () => {
  const first = await client.responses.create({
    model: 'test/painter',
    input: withPictures(await halves(64, 64)) as OpenAI.Responses.ResponseInput,
  })
  const input = [...first.output, { role: 'user', content: 'now green' }] as OpenAI.Responses.ResponseInput
  const second = await client.responses.create({ model: 'test/painter', input })
  expect(drawnIn(second)).toMatchObject({ action: 'edit' })
  expect(at.upstream.calls.at(-1)?.bytes.includes(bytesOf(drawnIn(first)))).toBe(true)
})

test('refusals are the errors that the client knows', async () => {
  const wrong = client.responses.create({ model: 'test/painter', input: 'x', previous_response_id: 'resp_1' })
  await expect(wrong).rejects.toThrow(BadRequestError)
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_REQUEST', param: 'previous_response_id' })
  const texts = await at.world.key({ scopes: ['responses:write'] })
  const other = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: texts.secret, maxRetries: 0 })
  await expect(other.responses.create({ model: 'test/painter', input: 'x' })).rejects.toThrow(
    PermissionDeniedError,
  )
})

test('a failure in mid-stream is a failed response', async () => {
  at.upstream.replyOnce(json(500, 'oops'))
  const final = await client.responses.stream({ model: 'test/painter', input: 'x' }).finalResponse()
  expect(final).toMatchObject({ status: 'failed', error: { code: 'UPSTREAM_FAILED' } })
})
