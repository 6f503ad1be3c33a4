/** Pages that a chat upstream cites reach callers of every wire, each in the words of its own. */
import { beforeAll, describe, expect, test } from 'vitest'
import { dataOf } from '../harness/client.ts'
import { chunk, done, json, type Script, stream } from '../harness/upstream.ts'
import { recover, shareOnUpstream, type UpstreamWorld } from './chat-world.ts'
import { message } from './messages-world.ts'
import { respond } from './responses-world.ts'

const page = { url: 'https://example.com/a', title: 'صفحه' }
const annotations = [
  { type: 'url_citation', url_citation: { ...page, start_index: 0, end_index: 5 } },
  { type: 'file_citation', file_citation: {} },
  { type: 'url_citation', url_citation: { url: 7 } },
  null,
]

const whole: Script = json(200, {
  id: 'x',
  object: 'chat.completion',
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'found', annotations }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
})
const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }
/** As OpenRouter sends them, after the text; `early` before it. */
const streamed = (early: boolean): Script => {
  const cites = chunk({ content: '', annotations })
  const says = chunk({ content: 'found' })
  return stream([
    ...(early ? [cites, says] : [says, cites]),
    chunk({}, 'stop'),
    { ...chunk({}), choices: [], usage },
    done,
  ])
}

describe('behind a chat upstream', () => {
  let at: UpstreamWorld
  beforeAll(async () => {
    at = await shareOnUpstream({ credits: 1_000_000 })
    return () => at[Symbol.asyncDispose]()
  })

  test('chat gets the annotations as they came, once', async () => {
    await recover(at)
    at.upstream.reply(whole)
    const reply = await at.key.chat({ model: 'test/model' })
    expect(reply.body.choices[0].message.annotations).toEqual(annotations)
    at.upstream.reply(streamed(false))
    const events = dataOf((await at.key.chat({ model: 'test/model', stream: true })).text)
    expect(events.filter((event) => event.includes('url_citation'))).toHaveLength(1)
  })

  test('Responses gets annotations of its text', async () => {
    await recover(at)
    at.upstream.reply(whole)
    const reply = await respond(at.key)
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.output[0].content[0].annotations).toEqual([
      { type: 'url_citation', ...page, start_index: 0, end_index: 5 },
    ])
  })

  test.each([false, true])('Messages gets citations of its text block, streamed: %s', async (stream) => {
    await recover(at)
    at.upstream.reply(stream ? streamed(false) : whole)
    const reply = await message(at.key, { stream })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.text).toContain(page.url)
    expect(reply.text).toContain('found')
  })

  test.each([false, true])(
    'a citation before any text breaks no answer, Messages: %s',
    async (isMessages) => {
      await recover(at)
      at.upstream.reply(streamed(true))
      const reply = await (isMessages ? message(at.key, { stream: true }) : respond(at.key, { stream: true }))
      expect(reply.status, reply.text).toBe(200)
      expect(reply.text).toContain('found')
      expect(reply.text).not.toContain('event: error')
      expect(reply.text).toContain(isMessages ? 'event: message_stop' : 'event: response.completed')
    },
  )
})
