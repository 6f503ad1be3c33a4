/** Blanks at the end of an answer that a caller has begun: vendors of the Messages wire refuse them, so they are cut before. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Seen } from '../harness/client.ts'
import { json, type Script, type UpstreamCall } from '../harness/upstream.ts'
import { assistant, message, user } from './messages-world.ts'
import { type ResponsesWorld, respond, shareOnWires } from './responses-world.ts'
import { says } from './scripted-answer.ts'

let at: ResponsesWorld
beforeAll(async () => {
  at = await shareOnWires('messages')
  at.upstream.reply(strictly)
})
afterAll(() => at[Symbol.asyncDispose]())

/** Refuses as Anthropic does, in its words. */
function strictly(call: UpstreamCall): Script {
  const refuse = (text: string) =>
    json(400, { type: 'error', error: { type: 'invalid_request_error', message: `messages: ${text}` } })
  const messages = call.body?.['messages'] as {
    role: string
    content: string | { type: string; text?: string }[]
  }[]
  const texts = messages.map(({ content }) =>
    typeof content === 'string'
      ? content
      : content.at(-1)?.type === 'text'
        ? (content.at(-1)?.text ?? '')
        : 'a block',
  )
  if (texts.some((text) => text.trim() === ''))
    return refuse('text content blocks must contain non-whitespace text')
  if (messages.at(-1)?.role === 'assistant' && /\s$/.test(texts.at(-1)!))
    return refuse('final assistant content cannot end with trailing whitespace')
  return says('messages', { text: 'ok' }, call)
}

const lastSent = () => (at.upstream.calls.at(-1)!.body!['messages'] as unknown[]).at(-1)
const blocks = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }))

const cases: [string, (text: string) => Promise<Seen>][] = [
  ['messages', (text) => message(at.key, { messages: [user('hello'), assistant(text)] })],
  ['messages in blocks', (text) => message(at.key, { messages: [user('hello'), assistant(blocks(text))] })],
  ['chat', (text) => at.key.chat({ messages: [user('hello'), assistant(text)] })],
  ['responses', (text) => respond(at.key, { input: [user('hello'), assistant(text)] })],
]

test.each(cases)('are cut for a caller of %s, and nothing else is', async (_, ask) => {
  for (const text of ['Once upon a time \n', 'یکی بود \u00a0\u2003\t', `می‌خواهم${' \n'.repeat(20_000)}`]) {
    const reply = await ask(text)
    expect(reply.status, reply.text).toBe(200)
    expect(JSON.stringify(lastSent())).toContain(JSON.stringify(text.trimEnd()))
  }
  await ask('  kept as it is')
  expect(JSON.stringify(lastSent())).toContain('"  kept as it is"')
})

test('a last block or a last message of blanks alone is left out; blanks before the end stay', async () => {
  const ends = async (...messages: unknown[]) => {
    const reply = await message(at.key, { messages: [user('hello'), ...messages] })
    expect(reply.status, reply.text).toBe(200)
    return lastSent()
  }
  expect(await ends(assistant(blocks('one ', 'two ', ' \n')))).toEqual(assistant(blocks('one ', 'two')))
  expect(await ends(assistant(' \n'))).toEqual(user('hello'))
  expect(await ends(assistant('one '), user('two '))).toEqual(user('two '))
})
