/** Hosted tools on the messages wire, over models that speak chat and models that speak messages: blocks, resends, refusals, money. */
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../contract/refusal.ts'
import { json as listed } from '../../core/tools/asking.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { fakeUpstream, json, type UpstreamCall } from '../../harness/upstream.ts'
import { upstreamConfig } from '../../harness/world.ts'
import { explained, requestIdOf } from '../../text/chat-world.ts'
import { eventsOf, expectAnswered, expectMessage, type Json, joined } from '../../text/messages-oracle.ts'
import { assistant, message, toolResult, upstreamMessage, user, weather } from '../../text/messages-world.ts'
import { call, type ScriptedAnswer } from '../../text/scripted-answer.ts'
import {
  bootWithTools,
  fetchFee,
  findings,
  heard,
  searchFee,
  type ToolsWorld,
} from '../../text/tools-world.ts'

const direct = { type: 'direct' }
const search = { type: 'kherad:web_search' }
const fetchPage = { type: 'kherad:web_fetch' }
const datetime = { type: 'kherad:datetime' }
const bash = { type: 'kherad:bash' }
const idOf = (upstreamId: string): string => `srvtoolu_kherad_${upstreamId}`

/** Packed as ours are, with a letter changed on the way. */
const damaged = deflateSync('a readable excerpt')
  .toString('base64')
  .replace(/.(?=.{12}$)/, '_')

const worlds = {} as Record<'chat' | 'messages', ToolsWorld>
beforeAll(async () => {
  worlds.chat = await bootWithTools('chat', { credits: 100_000 })
  worlds.messages = await bootWithTools('messages', { credits: 100_000 })
})
afterAll(async () => {
  await worlds.chat[Symbol.asyncDispose]()
  await worlds.messages[Symbol.asyncDispose]()
})

/** The answer to the same said twice, whole and streamed: both are one message. */
async function answered(at: ToolsWorld, answers: ScriptedAnswer[], body: Json): Promise<Json> {
  at.answers(...answers)
  const whole = await message(at.key, body)
  expect(whole.status, whole.text).toBe(200)
  expectMessage(whole.body)
  expectAnswered(whole.body.content)
  at.answers(...answers)
  const streamed = await message(at.key, { ...body, stream: true })
  const events = eventsOf(streamed.text)
  const { id: _, ...put } = joined(events)
  const { id: __, ...same } = whole.body
  expect({ ...put, usage: null }).toEqual({ ...same, usage: null })
  expect(events.at(-2)?.['usage'].server_tool_use).toEqual(same['usage'].server_tool_use)
  return whole.body
}

const lastCall = (at: ToolsWorld) => at.upstream.calls.at(-1)!
const requested = (call: UpstreamCall, field: 'messages' | 'tools') => call.body?.[field] as Json[]

describe.each(['chat', 'messages'] as const)('a model that speaks %s', (wire) => {
  test.each(['web_search_20250305', 'web_search_20260209', 'web_search_20260318', 'kherad:web_search'])(
    '%s: the call, what it found, and what the model made of it',
    async (type) => {
      const at = worlds[wire]
      const before = at.asked.length
      const body = await answered(
        at,
        [
          { text: 'می‌گردم.', calls: [call('call_1', 'web_search', { query: 'خبر امروز' })] },
          { text: 'این است.' },
        ],
        { tools: [{ type, name: 'web_search' }], messages: [user('خبر؟')] },
      )
      expect(body['content']).toEqual([
        { type: 'text', text: 'می‌گردم.', citations: null },
        {
          type: 'server_tool_use',
          id: idOf('call_1'),
          name: 'web_search',
          input: { query: 'خبر امروز' },
          caller: direct,
        },
        {
          type: 'web_search_tool_result',
          tool_use_id: idOf('call_1'),
          caller: direct,
          content: [
            {
              type: 'web_search_result',
              url: findings[0]?.url,
              title: findings[0]?.title,
              encrypted_content: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
              page_age: '2026-11-19',
            },
            {
              type: 'web_search_result',
              url: findings[1]?.url,
              title: findings[1]?.title,
              encrypted_content: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
              page_age: null,
            },
          ],
        },
        { type: 'text', text: 'این است.', citations: null },
      ])
      expect(body).toMatchObject({
        stop_reason: 'end_turn',
        usage: {
          input_tokens: 20,
          output_tokens: 10,
          server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
        },
      })
      expect(at.asked.slice(before).map(({ query }) => query['q'])).toEqual(['خبر امروز', 'خبر امروز'])
      const lines = heard(lastCall(at))
      expect(lines.slice(0, 3)).toEqual([
        'user: خبر؟',
        'assistant: می‌گردم.',
        'call call_1: web_search {"query":"خبر امروز"}',
      ])
      expect(lines[3]).toContain('result call_1: [1] خبر یک\nhttps://news.example.ir/a')
      expect(lines[3]).toContain('متن خبر یک')
    },
  )

  test.each([
    'web_fetch_20250910',
    'web_fetch_20260209',
    'web_fetch_20260309',
    'web_fetch_20260318',
    'kherad:web_fetch',
  ])('%s: the page as a document of plain text', async (type) => {
    const at = worlds[wire]
    const url = `${at.pages}/report`
    const body = await answered(
      at,
      [{ calls: [call('call_1', 'web_fetch', { url })] }, { text: 'خواندم.' }],
      {
        tools: [{ type, name: 'web_fetch', citations: { enabled: true } }],
        messages: [user(`بخوان: ${url}`)],
      },
    )
    expect(body['content']).toEqual([
      { type: 'server_tool_use', id: idOf('call_1'), name: 'web_fetch', input: { url }, caller: direct },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: idOf('call_1'),
        caller: direct,
        content: {
          type: 'web_fetch_result',
          url,
          retrieved_at: '2026-11-20T12:00:00.000Z',
          content: {
            type: 'document',
            title: 'گزارش',
            citations: { enabled: false },
            source: { type: 'text', media_type: 'text/plain', data: 'متن گزارش برای همه' },
          },
        },
      },
      { type: 'text', text: 'خواندم.', citations: null },
    ])
    expect(body['usage'].server_tool_use).toEqual({ web_search_requests: 0, web_fetch_requests: 1 })
  })

  test('kherad:bash: what a script wrote, and its files until the end of the answer', async () => {
    const at = worlds[wire]
    const body = await answered(
      at,
      [
        { calls: [call('call_1', 'bash', { command: 'echo سلام > a; echo x >&2; exit 3' })] },
        { calls: [call('call_2', 'bash', { command: 'cat a' })] },
        { text: 'شد.' },
      ],
      { tools: [bash] },
    )
    const [use, failed, , read] = body['content']
    expect(use).toEqual({
      type: 'server_tool_use',
      id: idOf('call_1'),
      name: 'bash_code_execution',
      input: { command: 'echo سلام > a; echo x >&2; exit 3' },
      caller: direct,
    })
    const ran = { type: 'bash_code_execution_result', content: [] }
    expect(failed).toEqual({
      type: 'bash_code_execution_tool_result',
      tool_use_id: idOf('call_1'),
      content: { ...ran, stdout: '', stderr: 'x\n', return_code: 3 },
    })
    expect(read.content).toEqual({ ...ran, stdout: 'سلام\n', stderr: '', return_code: 0 })
    expect(body['usage'].server_tool_use).toBeNull()
  })

  test('kherad:datetime leaves no block, only two texts; the zone is that of the person', async () => {
    const at = worlds[wire]
    const place = { type: 'approximate', city: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' }
    const answers = [
      { text: 'نگاه می‌کنم.', calls: [call('call_1', 'datetime', {})] },
      { text: 'یک بعدازظهر.' },
    ]
    const body = await answered(at, answers, { tools: [datetime, { ...search, user_location: place }] })
    expect(body['content']).toEqual([
      { type: 'text', text: 'نگاه می‌کنم.', citations: null },
      { type: 'text', text: 'یک بعدازظهر.', citations: null },
    ])
    expect(heard(lastCall(at)).at(-1)).toContain('"iso":"2026-11-20T13:00:00+01:00"')
    await answered(at, answers, { tools: [datetime] })
    expect(heard(lastCall(at)).at(-1)).toContain('"timezone":"Asia/Tehran"')
  })

  test('several calls of one step: all calls, then all results, each in its block', async () => {
    const at = worlds[wire]
    const calls = [
      call('call_1', 'web_search', { query: 'یک' }),
      call('call_2', 'datetime', {}),
      call('call_3', 'bash', { command: 'echo 3' }),
    ]
    const body = await answered(at, [{ calls }, { text: 'هر سه.' }], { tools: [search, datetime, bash] })
    expect(body['content'].map(({ type }: Json) => type)).toEqual([
      'server_tool_use',
      'server_tool_use',
      'web_search_tool_result',
      'bash_code_execution_tool_result',
      'text',
    ])
    expect(heard(lastCall(at)).filter((line) => line.startsWith('result'))).toHaveLength(3)
  })

  describe('failures are results with codes of the wire', () => {
    const errorOf = async (
      at: ToolsWorld,
      tool: Json,
      name: string,
      input: Json,
      prompt = 'hi',
    ): Promise<Json> => {
      const answers = [{ calls: [call('call_1', name, input)] }, { text: 'نشد.' }]
      const body = await answered(at, answers, { tools: [tool], messages: [user(prompt)] })
      expect(body['stop_reason']).toBe('end_turn')
      expect(heard(lastCall(at)).at(-1)).toContain(`Error (${body['content'][1].content.error_code})`)
      if (name.startsWith('web_'))
        expect(body['usage'].server_tool_use).toEqual({ web_search_requests: 0, web_fetch_requests: 0 })
      return body['content'][1].content
    }
    const searchError = (error_code: string) => ({ type: 'web_search_tool_result_error', error_code })
    const fetchError = (error_code: string) => ({ type: 'web_fetch_tool_result_error', error_code })

    test('of a search', async () => {
      const at = worlds[wire]
      const failing = (input: Json) => errorOf(at, search, 'web_search', input)
      expect(await failing({ query: ' ' })).toEqual(searchError('invalid_tool_input'))
      expect(await failing({ query: 'x'.repeat(2_001) })).toEqual(searchError('query_too_long'))
      for (const [status, code] of [
        [429, 'too_many_requests'],
        [500, 'unavailable'],
      ] as const) {
        at.finds(listed({}, status))
        expect(await failing({ query: 'x' })).toEqual(searchError(code))
      }
      at.finds(listed({ results: findings }))
    })

    test('of a fetch', async () => {
      const at = worlds[wire]
      const failing = (url: string, prompt: string) => errorOf(at, fetchPage, 'web_fetch', { url }, prompt)
      const named = (url: string) => failing(url, `see ${url}`)
      expect(await failing(`${at.pages}/secret`, 'hi')).toEqual(fetchError('url_not_in_prior_context'))
      expect(await named(`${at.pages}/missing`)).toEqual(fetchError('url_not_accessible'))
      expect(await named('http://pages.example.test/')).toEqual(fetchError('url_not_allowed'))
      expect(await named(`${at.pages}/${'x'.repeat(2_048)}`)).toEqual(fetchError('url_too_long'))
      expect(at.site.seen.map(({ url }) => url)).not.toContain('/secret')
    })

    test('of a script', async () => {
      const failure = { type: 'bash_code_execution_tool_result_error', error_code: 'invalid_tool_input' }
      expect(await errorOf(worlds[wire], bash, 'bash', {})).toEqual(failure)
    })

    test('one use more than allowed', async () => {
      const calls = ['یک', 'دو'].map((query, place) => call(`call_${place}`, 'web_search', { query }))
      const tool = { type: 'web_search_20250305', name: 'web_search', max_uses: 1 }
      const body = await answered(worlds[wire], [{ calls }, { text: 'یکی.' }], { tools: [tool] })
      expect(body['content'][3].content).toEqual(searchError('max_uses_exceeded'))
      expect(body['usage'].server_tool_use.web_search_requests).toBe(1)
    })
  })

  test('pages that a search has found may be fetched', async () => {
    const at = worlds[wire]
    const url = `${at.pages}/found`
    at.finds(listed({ results: [{ url, title: 'T', content: 'c' }] }))
    const answers = [
      { calls: [call('call_1', 'web_search', { query: 'x' })] },
      { calls: [call('call_2', 'web_fetch', { url })] },
      { text: 'خواندم.' },
    ]
    const body = await answered(at, answers, { tools: [search, fetchPage] })
    at.finds(listed({ results: findings }))
    expect(body['content'][3].content).toMatchObject({ type: 'web_fetch_result', url })
    // Sent back, what was found still counts as named.
    at.answers(...answers.slice(1))
    const messages = [user('hello'), assistant(body['content'].slice(0, 2)), user('و بعد؟')]
    const again = await message(at.key, { tools: [search, fetchPage], messages })
    expect(again.body.content[1].content).toMatchObject({ type: 'web_fetch_result', url })
  })

  test('an address that was named in capitals, or as people write it, may be fetched; paths keep their case', async () => {
    const at = worlds[wire]
    const { port } = at.site
    const fetched = async (answers: string, url: string): Promise<string> => {
      at.answers({ calls: [call('call_1', 'web_fetch', { url })] }, { text: 'خواندم.' })
      const { body } = await message(at.key, { tools: [fetchPage], messages: [user(answers)] })
      const { type, error_code: code } = body.content[1].content
      return code ?? type
    }
    const https = `https://pages.example.test:${port}`
    const unnamed = 'url_not_in_prior_context'
    expect(await fetched(`Read Pages.Example.Test:${port}/A`, `${https}/A`)).toBe('web_fetch_result')
    expect(await fetched(`HTTPS://WWW.PAGES.EXAMPLE.TEST:${port}`, `${https}/`)).toBe('web_fetch_result')
    expect(await fetched(`Read ${https}/ABC`, `${https}/aBc`)).toBe(unnamed)
    // Named, so that it is asked for; the certificate of the site does not know this name.
    const persian = `https://سایت.ایران:${port}`
    expect(await fetched(`بخوان ${persian}`, `${persian}/`)).toBe('url_not_accessible')
    expect(await fetched(`بخوان ${persian}/خبر`, `${persian}/%D8%AE%D8%A8%D8%B1`)).toBe('url_not_accessible')
    expect(await fetched('بخوان', 'https://www./?q=secret')).toBe(unnamed)
    expect(await fetched('بخوان [', 'https://[::1]/?q=secret')).toBe(unnamed)
  })

  test('domains are told to the search and kept by the fetch', async () => {
    const at = worlds[wire]
    const answers = [{ calls: [call('call_1', 'web_search', { query: 'x' })] }, { text: 'ok' }]
    const urls = async (rules: Json) =>
      (await answered(at, answers, { tools: [{ ...search, ...rules }] }))['content'][1].content.map(
        ({ url }: Json) => url,
      )
    expect(await urls({ allowed_domains: ['example.ir'], blocked_domains: [] })).toEqual([findings[0]?.url])
    expect(at.asked.at(-1)?.query['q']).toContain('site:example.ir')
    expect(await urls({ blocked_domains: ['news.example.ir'], allowed_domains: null })).toEqual([
      findings[1]?.url,
    ])
    const url = `${at.pages}/blocked`
    const fetched = await answered(at, [{ calls: [call('call_1', 'web_fetch', { url })] }, { text: 'ok' }], {
      tools: [{ ...fetchPage, blocked_domains: ['example.test'] }],
      messages: [user(url)],
    })
    expect(fetched['content'][1].content.error_code).toBe('url_not_allowed')
  })

  test('what has no effect here is taken: results of direct calls are always shown', async () => {
    const tool = {
      type: 'web_search_20260318',
      name: 'web_search',
      response_inclusion: 'excluded',
      allowed_callers: ['direct'],
      strict: true,
      defer_loading: false,
      cache_control: { type: 'ephemeral' },
    }
    const answers = [{ calls: [call('call_1', 'web_search', { query: 'x' })] }, { text: 'ok' }]
    const body = await answered(worlds[wire], answers, { tools: [tool] })
    expect(body['content'][1].content).toHaveLength(findings.length)
  })

  test('max_content_tokens bounds the page', async () => {
    const at = worlds[wire]
    const url = `${at.pages}/long`
    const body = await answered(at, [{ calls: [call('call_1', 'web_fetch', { url })] }, { text: 'ok' }], {
      tools: [{ ...fetchPage, max_content_tokens: 4 }],
      messages: [user(url)],
    })
    const { data } = body['content'][1].content.content.source
    expect(data).toMatch(/^متن/)
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(12)
  })

  describe('five steps', () => {
    const steps = (count: number): ScriptedAnswer[] =>
      Array.from({ length: count }, (_, place) => ({
        text: `گام ${place + 1}`,
        calls: [call(`call_${place}`, 'bash', { command: `echo ${place}` })],
      }))

    test('pause the answer, and who sends it back resumes it', async () => {
      const at = worlds[wire]
      const paused = await answered(at, steps(6), { tools: [bash], messages: [user('بشمار')] })
      expect(paused).toMatchObject({ stop_reason: 'pause_turn' })
      expect(paused['content']).toHaveLength(15)
      at.answers({ text: 'تمام.' })
      const messages = [user('بشمار'), assistant(paused['content'])]
      const resumed = await message(at.key, { tools: [bash], messages })
      expect(resumed.body).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'تمام.' }] })
      expect(heard(lastCall(at))).toEqual([
        'user: بشمار',
        ...[0, 1, 2, 3, 4].flatMap((place) => [
          `assistant: گام ${place + 1}`,
          `call call_${place}: bash {"command":"echo ${place}"}`,
          `result call_${place}: ${place}\n`,
        ]),
      ])
    })

    test('are not reached by four', async () => {
      const body = await answered(worlds[wire], steps(4), { tools: [bash] })
      expect(body['stop_reason']).toBe('end_turn')
    })

    test('a call without its result is reported as one', async () => {
      const at = worlds[wire]
      at.answers({ text: 'تمام.' })
      const open = { type: 'server_tool_use', id: idOf('call_1'), name: 'web_search', input: { query: 'x' } }
      const reply = await message(at.key, { tools: [search], messages: [user('a'), assistant([open])] })
      expect(reply.status, reply.text).toBe(200)
      expect(heard(lastCall(at)).slice(1)).toEqual([
        'call call_1: web_search {"query":"x"}',
        expect.stringMatching(/^result call_1: Error \(unavailable\): this call has no result yet/),
      ])
    })
  })

  test('own and hosted tools in one step: ours are answered, the caller answers its own, and all go on together', async () => {
    const at = worlds[wire]
    const calls = [
      call('call_1', 'get_weather', { city: 'Tehran' }),
      call('call_2', 'bash', { command: 'echo 2' }),
    ]
    const tools = [weather, bash]
    const stopped = await answered(at, [{ text: 'هر دو.', calls }], { tools })
    expect(stopped['stop_reason']).toBe('tool_use')
    expect(stopped['content'].map(({ type }: Json) => type).toSorted()).toEqual([
      'bash_code_execution_tool_result',
      'server_tool_use',
      'text',
      'tool_use',
    ])
    const own = stopped['content'].find(({ type }: Json) => type === 'tool_use')
    at.answers({ text: 'تمام.' })
    const messages = [user('a'), assistant(stopped['content']), user([toolResult(own.id, 'sunny')])]
    const reply = await message(at.key, { tools, messages })
    expect(reply.body).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'تمام.' }] })
    expect(heard(lastCall(at))).toEqual([
      'user: a',
      'assistant: هر دو.',
      'call call_2: bash {"command":"echo 2"}',
      'call call_1: get_weather {"city":"Tehran"}',
      'result call_2: 2\n',
      'result call_1: sunny',
    ])
  })

  test('a tool that has to be called is called once', async () => {
    const at = worlds[wire]
    const answers = [{ calls: [call('call_1', 'bash', { command: 'true' })] }, { text: 'ok' }]
    at.answers(...answers)
    const position = at.upstream.calls.length
    const reply = await message(at.key, {
      tools: [weather, bash],
      tool_choice: { type: 'tool', name: 'bash' },
    })
    expect(reply.body.stop_reason).toBe('end_turn')
    const choices = at.upstream.calls.slice(position).map(({ body }) => body?.['tool_choice'])
    const named = {
      chat: { type: 'function', function: { name: 'bash' } },
      messages: { type: 'tool', name: 'bash' },
    }
    expect(choices[0]).toEqual(named[wire])
    expect(choices[1]).not.toEqual(named[wire])
  })

  test('passages that rest on a page are cited on their own block', async () => {
    const at = worlds[wire]
    const link = `[خبر یک](${findings[0]?.url})`
    const answers = [
      { text: 'می‌گردم.', calls: [call('call_1', 'web_search', { query: 'x' })] },
      { text: `گران شد ${link}. تمام.` },
    ]
    const body = await answered(at, answers, { tools: [search] })
    const [first, , , last] = body['content']
    expect(first.citations).toBeNull()
    expect(last.citations).toEqual([
      {
        type: 'web_search_result_location',
        url: findings[0]?.url,
        title: findings[0]?.title,
        encrypted_index: Buffer.from(`${idOf('call_1')}:0`).toString('base64'),
        cited_text: 'متن خبر یک',
      },
    ])
    at.answers({ text: 'ok' })
    const messages = [user('a'), assistant(body['content']), user('b')]
    expect((await message(at.key, { tools: [search], messages })).status).toBe(200)
  })

  describe('an answer that is sent back', () => {
    const sentBack = async (at: ToolsWorld, content: Json[], tools: Json[] = [search, fetchPage, bash]) => {
      at.answers({ text: 'ok' })
      const reply = await message(at.key, { tools, messages: [user('a'), assistant(content), user('b')] })
      expect(reply.status, reply.text).toBe(200)
      return heard(lastCall(at))
    }
    const found = (content: unknown) => [
      { type: 'server_tool_use', id: idOf('call_1'), name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: idOf('call_1'), content },
    ]
    const result = (encrypted_content: unknown) => ({
      type: 'web_search_result',
      url: 'https://a.b',
      title: 'T',
      encrypted_content,
    })

    test('is to the model what it was', async () => {
      const at = worlds[wire]
      const url = `${at.pages}/again`
      const body = await answered(
        at,
        [
          {
            calls: [
              call('call_1', 'web_search', { query: 'x' }),
              call('call_2', 'web_fetch', { url }),
              call('call_3', 'bash', { command: 'echo out; echo err >&2; exit 1' }),
              call('call_4', 'web_fetch', { url: 'https://secret.example' }),
            ],
          },
          { text: 'ok' },
        ],
        { tools: [search, fetchPage, bash], messages: [user(url)] },
      )
      const first = heard(lastCall(at)).filter((line) => line.startsWith('result'))
      const again = (await sentBack(at, body['content'])).filter((line) => line.startsWith('result'))
      const withoutAdvice = first.map((line) =>
        line.replace(/\n\nWhere your answer rests on one of these pages.*/s, ''),
      )
      expect(again.slice(0, 3)).toEqual(withoutAdvice.slice(0, 3))
      expect(again[3]).toBe('result call_4: Error (url_not_in_prior_context)')
    })

    test.each([
      ['a vendor has encrypted', 'EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y=='],
      ['is damaged', damaged],
      ['is a bomb', deflateSync('x'.repeat(1_000_000)).toString('base64')],
      ['is nothing', ''],
      ['is no text', { a: 1 }],
    ])('of an excerpt that %s, title and address are read', async (_, encrypted) => {
      const lines = await sentBack(worlds[wire], found([result(encrypted), 7, null]))
      expect(lines[2]).toBe('result call_1: [1] T\nhttps://a.b\n\n\n[2] \n\n\n\n[3] \n\n')
    })

    test('as a client that loses fields writes it, is read as far as it goes', async () => {
      const lines = await sentBack(worlds[wire], [
        ...found({ type: 'web_search_tool_result_error' }),
        { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_nobody', content: {} },
        { type: 'text', text: 'so', citations: [] },
      ])
      expect(lines).toEqual([
        'user: a',
        'call call_1: web_search {"query":"x"}',
        'result call_1: Error (unavailable)',
        'assistant: so',
        'user: b',
      ])
    })

    test('without the tools it came from, it goes to any upstream as calls of plain tools', async () => {
      const at = worlds[wire]
      const answers = [{ calls: [call('call.1', 'web_search', { query: 'x' })] }, { text: 'این.' }]
      const { content } = await answered(at, answers, { tools: [search] })
      const lines = await sentBack(at, content, [weather])
      const id = wire === 'chat' ? 'call.1' : 'toolu_x_call_1'
      expect(lines).toEqual([
        'user: a',
        `call ${id}: web_search {"query":"x"}`,
        expect.stringContaining(`result ${id}: [1] خبر یک`),
        'assistant: این.',
        'user: b',
      ])
      expect(JSON.stringify(lastCall(at).body)).not.toMatch(/encrypted_content|server_tool_use|srvtoolu/)
    })
  })

  test('money: tokens of all steps and the fee of each use that did not fail, on one receipt', async () => {
    const at = worlds[wire]
    const answers: ScriptedAnswer[] = [
      {
        calls: [
          call('call_1', 'web_search', { query: 'x' }),
          call('call_2', 'web_search', { query: '' }),
          call('call_3', 'web_fetch', { url: `${at.pages}/paid` }),
        ],
        tokens: { input: 100, output: 20 },
      },
      { text: 'ok', tokens: { input: 1_000, output: 7 } },
    ]
    for (const stream of [false, true]) {
      at.answers(...answers)
      await at.world.settled()
      const before = await at.world.balance()
      const reply = await message(at.key, {
        tools: [search, fetchPage],
        messages: [user(`${at.pages}/paid`)],
        stream,
      })
      const receipt = await explained(at.key, requestIdOf(reply))
      const tokens = 1_100n * 1_000n + 27n * 2_000n
      expect(BigInt(receipt.microcredits)).toBe(tokens + searchFee + fetchFee)
      await at.world.settled()
      expect(before.available - (await at.world.balance()).available).toBe(tokens + searchFee + fetchFee)
      expect(receipt.details).toMatchObject({
        steps: 2,
        tools: [
          { tool: 'web_search', uses: 2, failed: 1, microcredits: Number(searchFee) },
          { tool: 'web_fetch', uses: 1, failed: 0, microcredits: Number(fetchFee) },
        ],
        tokens: { input: 1_100, output: 27 },
      })
    }
  })
})

describe('refused before any money moves', () => {
  const vendors = (more: Json) => ({ tools: [{ type: 'web_search_20260209', name: 'web_search', ...more }] })
  const fetches = (more: Json) => ({ tools: [{ type: 'web_fetch_20260209', name: 'web_fetch', ...more }] })
  const document = {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'x' },
    citations: { enabled: true },
  }
  const refusals: [string, string, string, Json][] = [
    [
      'two lists of domains',
      'INVALID_REQUEST',
      'tools.0.blocked_domains',
      vendors({ allowed_domains: ['a.b'], blocked_domains: ['c.d'] }),
    ],
    [
      'an address in place of a domain',
      'INVALID_REQUEST',
      'tools.0.allowed_domains.1',
      vendors({ allowed_domains: ['a.b', 'https://a.b'] }),
    ],
    [
      'a domain that is none',
      'INVALID_REQUEST',
      'tools.0.blocked_domains.0',
      fetches({ blocked_domains: ['a b'] }),
    ],
    [
      'a zone that nobody knows',
      'INVALID_REQUEST',
      'tools.0.user_location.timezone',
      vendors({ user_location: { type: 'approximate', timezone: 'Mars/Olympus' } }),
    ],
    [
      'a call from code',
      'FEATURE_NOT_SUPPORTED',
      'tools.0.allowed_callers',
      vendors({ allowed_callers: ['code_execution_20260120'] }),
    ],
    [
      'a rule for addresses',
      'FEATURE_NOT_SUPPORTED',
      'tools.0.url_sources',
      fetches({ url_sources: { user_input: { type: 'none' } } }),
    ],
    ['a container', 'UNKNOWN_FIELD', 'container', { ...vendors({}), container: 'container_1' }],
    [
      'a tool of the caller by the same name',
      'INVALID_REQUEST',
      'tools.1.name',
      { tools: [{ ...weather, name: 'bash' }, bash] },
    ],
    [
      'one tool twice',
      'INVALID_REQUEST',
      'tools.0.name',
      { tools: [search, { type: 'web_search_20250305', name: 'web_search' }] },
    ],
    [
      'the caller’s own bash beside ours',
      'INVALID_REQUEST',
      'tools.1.name',
      { tools: [{ type: 'bash_20250124', name: 'bash' }, bash] },
    ],
    [
      'a choice of what is not there',
      'INVALID_REQUEST',
      'tool_choice.name',
      { tools: [bash], tool_choice: { type: 'tool', name: 'datetime' } },
    ],
    [
      'what only the vendor’s wire carries beside what runs here',
      'FEATURE_NOT_SUPPORTED',
      'messages.0.content.0.citations',
      { tools: [bash], messages: [user([document])] },
    ],
    [
      'a tool that a vendor trained beside one that runs here',
      'FEATURE_NOT_SUPPORTED',
      'tools.1.type',
      { tools: [bash, { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }] },
    ],
  ]

  test.each(refusals)('%s: %s, %s', async (_, code, param, body) => {
    for (const at of [worlds.chat, worlds.messages]) {
      await at.world.settled()
      const before = await at.world.balance()
      const asked = at.upstream.calls.length
      expectRefusal(await message(at.key, body), { status: 400, code, param })
      expect(at.upstream.calls).toHaveLength(asked)
      expect(await at.world.balance()).toEqual(before)
    }
  })

  test('a tool that is not set up, whoever would run it elsewhere', async () => {
    await using world = await sharedWorld()
    const key = await world.key()
    for (const type of ['web_search_20250305', 'kherad:web_search'])
      expectRefusal(await message(key, { tools: [datetime, { type, name: 'web_search' }] }), {
        status: 400,
        code: 'HOSTED_TOOL_NOT_CONFIGURED',
        param: 'tools.1.type',
      })
    expect((await world.balance()).held).toBe(0n)
  })

  test('tools for a model that calls none', async () => {
    await using upstream = await fakeUpstream()
    const config = upstreamConfig(upstream.url).replace('[tools, json_schema', '[json_schema')
    await using world = await sharedWorld({ config })
    expectRefusal(await message(await world.key(), { tools: [datetime] }), {
      status: 400,
      code: 'FEATURE_NOT_SUPPORTED',
      param: 'tools',
    })
  })

  test('what the uses may cost, where the balance is too small for it', async () => {
    await using poor = await bootWithTools('chat', { credits: 9 })
    poor.answers({ text: 'ok' })
    const body = { max_tokens: 256, tools: [search] }
    expect((await message(poor.key, body)).body.error.code).toBe('INSUFFICIENT_CREDITS')
    expect((await message(poor.key, { ...body, tools: [{ ...search, max_uses: 1 }] })).status).toBe(200)
  })
})

describe('over the own wire of the model', () => {
  test('where the vendor runs its own search, one tool of ours brings it here', async () => {
    await using at = await bootWithTools('messages', { features: 'web_search' })
    const vendors = { type: 'web_search_20250305', name: 'web_search' }
    at.answers({ text: 'ok' })
    await message(at.key, { tools: [vendors] })
    expect(lastCall(at).body?.['tools']).toEqual([{ ...vendors, max_uses: 5 }])
    const answers = [{ calls: [call('call_1', 'web_search', { query: 'x' })] }, { text: 'ok' }]
    const body = await answered(at, answers, { tools: [vendors, datetime] })
    expect(body['content'][1].content).toHaveLength(findings.length)
    expect(requested(lastCall(at), 'tools').map(({ name, type }) => [name, type])).toEqual([
      ['web_search', undefined],
      ['datetime', undefined],
    ])
  })

  test('thinking goes with its signature through all steps, and back', async () => {
    const at = worlds.messages
    const thought = { type: 'thinking', thinking: 'hm', signature: 'EqQBseal==' }
    const use = { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'echo 1' } }
    at.upstream.replyOnce(json(200, upstreamMessage([thought, use], { stop_reason: 'tool_use' })))
    at.upstream.replyOnce(
      json(
        200,
        upstreamMessage([
          { ...thought, thinking: 'so' },
          { type: 'text', text: 'ok' },
        ]),
      ),
    )
    const position = at.upstream.calls.length
    const asked = { tools: [bash], thinking: { type: 'enabled', budget_tokens: 1024 }, messages: [user('a')] }
    const { body } = await message(at.key, asked)
    expectMessage(body)
    expect(body.content.map(({ type }: Json) => type)).toEqual([
      'thinking',
      'server_tool_use',
      'bash_code_execution_tool_result',
      'thinking',
      'text',
    ])
    expect([body.content[0], body.content[3]]).toEqual([thought, { ...thought, thinking: 'so' }])
    const second = await at.upstream.call(position + 1)
    const answers = requested(second, 'messages').slice(0, 3)
    expect(answers[1]).toEqual(assistant([thought, use]))
    at.upstream.replyOnce(json(200, upstreamMessage([{ type: 'text', text: 'ok' }])))
    await message(at.key, { ...asked, messages: [user('a'), assistant(body.content), user('b')] })
    expect(requested(lastCall(at), 'messages').slice(0, 4)).toEqual([
      ...answers,
      assistant([
        { ...thought, thinking: 'so' },
        { type: 'text', text: 'ok' },
      ]),
    ])
  })
})

test('sandbox models call them by name, so that they can be tried without a key', async () => {
  const at = worlds.chat
  const tools = [search, fetchPage, datetime, bash]
  const asked = async (question: string): Promise<Json> => {
    const { body } = await message(at.key, { model: 'sandbox/fast', tools, messages: [user(question)] })
    expectMessage(body)
    expectAnswered(body.content)
    return body
  }
  const fetched = await asked(`web_fetch ${at.pages}/sandbox`)
  expect(fetched['content'][1].content.content.source.data).toBe('متن گزارش برای همه')
  const ran = await asked('bash `echo hi | tr a-z A-Z`')
  expect(ran['content'][1].content.stdout).toBe('HI\n')
  const [dated, ...others] = (await asked('تاریخ امروز چیست؟'))['content']
  expect(dated.text).toContain('1405/08/29')
  expect(others).toEqual([])
})
