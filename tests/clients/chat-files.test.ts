/** A PDF in a chat, as the official clients and others send it. */
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { pdf } from '../media/media-world.ts'

let world: World
let baseURL: string
let apiKey: string
beforeAll(async () => {
  world = await sharedWorld()
  baseURL = `${world.url}/v1`
  apiKey = (await world.key()).secret
})
afterAll(() => world[Symbol.asyncDispose]())

const data = pdf(2)
const url = `data:application/pdf;base64,${data}`
const model = 'sandbox/omni'
const text = 'what is this?'
const seen = /“a\.pdf”: a PDF of 2 pages/

test('the OpenAI client', async () => {
  const client = new OpenAI({ baseURL, apiKey })
  const { choices } = await client.chat.completions.create({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'file', file: { filename: 'a.pdf', file_data: url } },
        ],
      },
    ],
  })
  expect(choices[0]?.message.content).toMatch(seen)
})

test('the AI SDK, as an OpenAI-compatible provider and as OpenAI itself', async () => {
  const file = { type: 'file' as const, mediaType: 'application/pdf', data, filename: 'a.pdf' }
  const content = [{ type: 'text' as const, text }, file]
  for (const chosen of [
    createOpenAICompatible({ name: 'kherad', baseURL, apiKey })(model),
    createOpenAI({ baseURL, apiKey }).chat(model),
  ]) {
    const answer = await generateText({ model: chosen, messages: [{ role: 'user', content }] })
    expect(answer.text, chosen.provider).toMatch(/a PDF of 2 pages/)
  }
})

test('LangChain, in its own blocks and in those of the wire', async () => {
  const chat = new ChatOpenAI({ model, apiKey, configuration: { baseURL }, maxRetries: 0 })
  for (const file of [
    {
      type: 'file',
      source_type: 'base64',
      mime_type: 'application/pdf',
      data,
      metadata: { filename: 'a.pdf' },
    },
    { type: 'file', file: { filename: 'a.pdf', file_data: url } },
  ]) {
    const answer = await chat.invoke([new HumanMessage({ content: [{ type: 'text', text }, file] })])
    expect(answer.text).toMatch(seen)
  }
})
