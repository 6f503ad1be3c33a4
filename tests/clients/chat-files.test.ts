/** A PDF and a text in a chat, as the official clients and others send them. */
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

test('a text, by the OpenAI client and LangChain, for a model that takes no documents', async () => {
  const note = Buffer.from('سلام دنیا').toString('base64')
  const noteUrl = `data:text/plain;base64,${note}`
  const reads = /text of 9 characters/
  const ask = { type: 'text' as const, text }
  const client = new OpenAI({ baseURL, apiKey })
  const file = { type: 'file' as const, file: { filename: 'a.txt', file_data: noteUrl } }
  const { choices } = await client.chat.completions.create({
    model: 'sandbox/fast',
    messages: [{ role: 'user', content: [ask, file] }],
  })
  expect(choices[0]?.message.content).toMatch(reads)
  const response = await client.responses.create({
    model: 'sandbox/fast',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text },
          { type: 'input_file', filename: 'a.txt', file_data: noteUrl },
        ],
      },
    ],
  })
  expect(response.output_text).toMatch(reads)
  const chat = new ChatOpenAI({ model: 'sandbox/fast', apiKey, configuration: { baseURL }, maxRetries: 0 })
  const block = {
    type: 'file',
    source_type: 'base64',
    mime_type: 'text/plain',
    data: note,
    metadata: { filename: 'a.txt' },
  }
  expect((await chat.invoke([new HumanMessage({ content: [ask, block] })])).text).toMatch(reads)
})
