/** Links as the vendors' own clients send them, to upstreams that do not open links. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaWorld, pdf, shareMedia } from '../media/media-world.ts'
import { png } from './media-samples.ts'

let at: MediaWorld
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
  at = await shareMedia()
  openai = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: at.world.url, apiKey: at.key.secret, maxRetries: 0 })
})
afterAll(() => at[Symbol.asyncDispose]())

const sent = (): string => JSON.stringify(at.upstream.calls.at(-1)!.body)

test('the OpenAI client sends a picture by its link', async () => {
  const content = [{ type: 'image_url' as const, image_url: { url: at.link('/a.png') } }]
  const { choices } = await openai.chat.completions.create({
    model: 'test/chat-blind',
    messages: [{ role: 'user', content }],
  })
  expect(choices[0]!.message.content).toBe('seen')
  expect(sent()).toContain(`data:image/png;base64,${png}`)
})

test('the OpenAI client sends a file by its link over responses, and is told what is wrong with it', async () => {
  const asking = (file: string) =>
    openai.responses.create({
      model: 'test/responses-blind',
      input: [{ role: 'user', content: [{ type: 'input_file', file_url: at.link(file) }] }],
    })
  expect((await asking('/a.pdf')).output_text).toBe('seen')
  expect(sent()).toContain(`data:application/pdf;base64,${pdf(3)}`)
  const refused = await asking('/absent.pdf').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(OpenAI.BadRequestError)
  expect(refused).toMatchObject({ code: 'LINK_NOT_USABLE', param: 'input.0.content.0.file_url' })
})

test('the Anthropic client sends a document by its link', async () => {
  const { content } = await anthropic.messages.create({
    model: 'test/messages-blind',
    max_tokens: 100,
    messages: [
      { role: 'user', content: [{ type: 'document', source: { type: 'url', url: at.link('/a.pdf') } }] },
    ],
  })
  expect(content).toMatchObject([{ type: 'text', text: 'seen' }])
  expect(sent()).toContain(pdf(3))
})
