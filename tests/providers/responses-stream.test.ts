import { setTimeout as later, setImmediate as turnOfLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AnswerPart } from '#core/turn'
import { somePlaces } from '../harness/seed.ts'
import { done as closed, cut, fakeUpstream, json, type Step, stall, stream } from '../harness/upstream.ts'
import {
  callOf,
  chatTurn,
  type Event,
  eventsOf,
  finishOf,
  hear,
  meaningOf,
  patient,
  sse,
  textOf,
  toolCallsOf,
  usageOf,
} from './asking.ts'
import {
  added,
  args,
  call,
  counted,
  created,
  done,
  hearScript,
  inProgress,
  message,
  over,
  responsesOf,
  responsesTurn,
  streamOf,
  text,
  textDone,
  thought,
  transcripts,
  usage,
} from './responses-wire.ts'

const bytesOf = (events: readonly Event[]): Buffer => Buffer.from(events.map(sse).join(''))

test.each(transcripts)(
  '$name: the parts are reported, and every event rides on them',
  async ({ events, parts }) => {
    const heard = await hearScript(streamOf(events))
    expect(heard.error).toBeUndefined()
    expect(meaningOf(heard.parts)).toEqual(parts)
    expect(eventsOf(heard.parts).map((event) => JSON.stringify(event))).toEqual(
      events.map((event) => JSON.stringify(event)),
    )
  },
)

test.each(transcripts)(
  '$name: a caller of another wire gets the same parts alone',
  async ({ events, parts }) => {
    const heard = await hearScript(streamOf(events), patient, chatTurn())
    expect(heard.parts).toEqual(parts)
  },
)

test.each(transcripts)('$name: split at any byte, it means the same', async ({ events }) => {
  const bytes = bytesOf(events)
  await using upstream = await fakeUpstream()
  await using provider = responsesOf(upstream)
  upstream.reply(stream([bytes]))
  const whole = JSON.stringify(await hear(provider, callOf(responsesTurn())))
  // The two halves leave in turns of their own, or the sockets would join them.
  const pause: Step = () => turnOfLoop().then(() => turnOfLoop())
  upstream.reply((asked) => {
    const position = Number(asked.body?.['top_k'])
    return stream([bytes.subarray(0, position), pause, bytes.subarray(position)])
  })
  const places = somePlaces(bytes.length)
  for (let from = 0; from < places.length; from += 32) {
    const positions = places.slice(from, from + 32)
    const heard = await Promise.all(
      positions.map((position) => hear(provider, callOf(responsesTurn({ top_k: position })))),
    )
    expect(heard.find((one) => JSON.stringify(one) !== whole)).toBeUndefined()
  }
})

test.each(transcripts)('$name: byte by byte it means the same', async ({ events, parts }) => {
  const bytes = [...bytesOf(events)].map((byte) => Uint8Array.of(byte))
  const heard = await hearScript(stream(bytes))
  expect(meaningOf(heard.parts)).toEqual(parts)
})

test.each(transcripts)(
  '$name: what breaks it off between two events is reported, after what was written',
  async ({ events }) => {
    const broken: Event = { type: 'error', code: 'server_error', message: 'crashed', param: null }
    const failed = over([], {
      status: 'failed',
      error: { code: 'rate_limit_exceeded', message: 'slow down' },
    })
    const endings: [string, (Event | Step)[], string, boolean][] = [
      ['a cut', [cut], 'cut', false],
      ['an end', [], 'cut', false],
      ['an end that calls itself done', [closed], 'cut', false],
      ['an error', [broken], 'unavailable', false],
      ['a failure', [{ ...failed, type: 'response.failed' }], 'rate_limited', true],
    ]
    const whole = meaningOf((await hearScript(streamOf(events))).parts)
    for (const [what, tail, fault, counts] of endings) {
      for (let kept = 0; kept < events.length; kept += 1) {
        const { parts, error } = await hearScript(streamOf([...events.slice(0, kept), ...tail]))
        const where = `${what} after ${kept} events`
        expect(error, where).toMatchObject({ fault, executed: true })
        expect(finishOf(parts), where).toEqual([])
        expect(eventsOf(parts).slice(0, kept), where).toEqual(events.slice(0, kept))
        const written = meaningOf(parts.filter(({ type }) => type !== 'usage'))
        const begun = kept === 0 ? [] : whole
        expect(
          written.filter(({ type }) => kept > 0 || type !== 'start'),
          where,
        ).toEqual(begun.slice(0, written.length))
        expect(usageOf(parts).length, where).toBe(counts ? 1 : 0)
      }
    }
  },
)

test('the last event is the end: nothing that follows or fails to follow it matters', async () => {
  const events = [created, text(0, 'a'), over([message(0, 'a')])]
  const broken: Event = { type: 'error', code: 'server_error', message: 'late' }
  for (const tail of [[], [closed], [cut], [stall], [broken]] as (Event | Step)[][]) {
    const { parts, error } = await hearScript(streamOf([...events, ...tail]))
    expect(error).toBeUndefined()
    expect(meaningOf(parts).slice(-2)).toEqual([{ type: 'finish', reason: 'stop' }, counted])
  }
})

test.each<[Record<string, unknown>, string]>([
  [{ code: 'rate_limit_exceeded', message: 'slow down' }, 'rate_limited'],
  [{ code: 'server_error', message: 'crashed' }, 'unavailable'],
  [{ code: 'context_length_exceeded', message: 'too much' }, 'context_overflow'],
  [{ code: 'insufficient_quota', message: 'You exceeded your current quota' }, 'authentication'],
  [{ code: 'invalid_prompt', message: 'Invalid prompt: it violates our usage policy.' }, 'content_refused'],
  [{ code: 'image_content_policy_violation', message: 'no' }, 'content_refused'],
  [{ code: 'bio_policy', message: 'no' }, 'content_refused'],
  [{ code: 'image_too_small', message: 'no' }, 'invalid_request'],
  [{ code: 'failed_to_download_image', message: 'no' }, 'invalid_request'],
  [{ code: 'something_new', message: 'what' }, 'unavailable'],
])('the failure %j is %s, however it is reported', async (error, fault) => {
  const flat: Event = { type: 'error', sequence_number: 3, param: null, ...error }
  const wrapped: Event = { type: 'error', error }
  const nameless = `data: ${JSON.stringify({ error })}\n\n`
  const bare = `event: error\ndata: ${JSON.stringify(error)}\n\n`
  const failed = over([], { status: 'failed', error }, 'response.failed')
  const typed = `event: error\ndata: ${JSON.stringify({ type: 'tomorrow', ...error })}\n\n`
  for (const told of [flat, wrapped, nameless, bare, typed, failed]) {
    const heard = await hearScript(streamOf([created, told]))
    expect(heard.error).toMatchObject({ fault, executed: true, detail: error['message'] })
  }
  const body = { id: 'resp_1', status: 'failed', error, output: [], usage }
  const whole = await hearScript(json(200, body))
  expect(whole.error).toMatchObject({ fault, executed: true })
  expect(whole.parts).toEqual([counted])
})

test.each([
  [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
  [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
  [{ status: 'incomplete', incomplete_details: null }, 'length'],
  [{ status: 'completed' }, 'stop'],
  [{ status: undefined }, 'stop'],
])('the end %j is %s, whatever the name of its event', async (more, meant) => {
  const { parts } = await hearScript(streamOf([created, text(0, 'a'), over([], more)]))
  expect(finishOf(parts)).toEqual([meant])
})

test.each(['cancelled', 'in_progress'])('an answer that ends as %s is a cut', async (status) => {
  expect((await hearScript(streamOf([created, text(0, 'a'), over([], { status })]))).error?.fault).toBe('cut')
  expect((await hearScript(json(200, { status, output: [] }))).error?.fault).toBe('cut')
})

test('servers may leave out places and ids, name the type only in the event, and tell an item twice', async () => {
  const bare = ({ output_index: _, content_index: __, item_id: ___, ...event }: Event): string => {
    const { type, ...data } = event
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
  }
  const events = [
    text(0, 'he'),
    text(0, 'llo'),
    { type: 'response.output_text.done', text: 'hello!' },
    done(1, call(1, 'call_a', 'f', '{}')),
    done(1, call(1, 'call_a', 'f', '{}')),
    over([call(1, 'call_a', 'f', '{}')]),
  ]
  const { parts, error } = await hearScript(streamOf(events.map(bare)))
  expect(error).toBeUndefined()
  expect(textOf(parts)).toBe('hello!')
  expect(toolCallsOf(parts)).toEqual([{ id: 'call_a', name: 'f', arguments: '{}' }])
})

test('calls without an id get one each, and arguments that come before the name wait for it', async () => {
  const nameless = { type: 'function_call', call_id: undefined, id: undefined, arguments: '' }
  const { parts } = await hearScript(
    streamOf([
      created,
      args(0, '{"x":'),
      added(0, { ...nameless, name: 'f' }),
      args(0, '1}'),
      done(1, { ...nameless, name: 'f', arguments: { x: 2 } }),
      over([]),
    ]),
  )
  const calls = toolCallsOf(parts)
  expect(calls.map(({ arguments: whole }) => whole)).toEqual(['{"x":1}', '{"x":2}'])
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
})

test('a text that ends otherwise than it was told is not told again', async () => {
  for (const whole of ['hello', 'well, hello there']) {
    const { parts } = await hearScript(
      streamOf([created, text(0, '\n\nhello'), done(0, message(0, whole)), over([message(0, whole)])]),
    )
    expect(textOf(parts)).toBe('\n\nhello')
  }
})

test('each part of a message is held against its own end, also one that comes late', async () => {
  const { parts } = await hearScript(
    streamOf([
      created,
      text(0, 'one '),
      text(0, 'tw', 1),
      textDone(0, 'one '),
      textDone(0, 'two ', 1),
      textDone(0, 'three', 2),
      over([]),
    ]),
  )
  expect(textOf(parts)).toBe('one two three')
})

test('calls that all say place 0 and never end stay apart', async () => {
  const { parts } = await hearScript(
    streamOf([
      created,
      added(0, call(0, 'call_a', 'f', '')),
      args(0, '{"x":1}'),
      added(0, call(0, 'call_b', 'g', '')),
      args(0, '{}'),
      over([]),
    ]),
  )
  expect(toolCallsOf(parts)).toEqual([
    { id: 'call_a', name: 'f', arguments: '{"x":1}' },
    { id: 'call_b', name: 'g', arguments: '{}' },
  ])
})

test('the last event may leave out what was told before; a call in it is known by its id', async () => {
  const { parts } = await hearScript(
    streamOf([
      created,
      added(0, call(0, 'call_a', 'f', '')),
      added(1, call(1, 'call_b', 'g', '')),
      over([call(1, 'call_b', 'g', '{}')]),
    ]),
  )
  expect(toolCallsOf(parts)).toEqual([
    { id: 'call_a', name: 'f', arguments: '' },
    { id: 'call_b', name: 'g', arguments: '{}' },
  ])
})

test('thoughts in plain text stand in for a summary; a thought without text and seal is none', async () => {
  const plain = { ...thought(0, []), content: [{ type: 'reasoning_text', text: 'hm' }] }
  const { parts } = await hearScript(streamOf([created, done(0, plain), done(1, thought(1, [])), over([])]))
  expect(meaningOf(parts).slice(1, -2)).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'reasoning-end' },
  ])
})

test('usage names what was written to the cache and for how long; zero for an answer that exists is no report', async () => {
  const usageIn = async (report: Record<string, unknown>) =>
    usageOf((await hearScript(streamOf([created, text(0, 'a'), over([], { usage: report })]))).parts)
  const details = {
    cached_tokens: 30,
    cache_write_tokens: 50,
    cache_write_tokens_details: { ttl_12h_tokens: 20 },
  }
  expect(await usageIn({ input_tokens: 100, input_tokens_details: details, output_tokens: 7 })).toEqual([
    {
      input: 100,
      cachedInput: 30,
      cacheWriteInput: 50,
      cacheWriteHourInput: 20,
      mediaInput: 0,
      output: 7,
      reasoning: 0,
    },
  ])
  expect(await usageIn({ input_tokens: 0, output_tokens: 0 })).toEqual([])
  expect(await usageIn({ input_tokens: -4, output_tokens: '7' })).toEqual([])
  // What a claim can be is judged where it is charged.
  expect(await usageIn({ input_tokens: 1e300, output_tokens: 2.5 })).toMatchObject([
    { input: 1e12, output: 2 },
  ])
})

test('one malformed event is skipped, several are malformed', async () => {
  const torn = 'data: {"type":\n\n'
  const one = await hearScript(streamOf([created, text(0, 'a'), torn, text(0, 'b'), over([])]))
  expect(one.error).toBeUndefined()
  expect(textOf(one.parts)).toBe('ab')
  const several = await hearScript(streamOf([created, torn, torn, over([])]))
  expect(several.error?.fault).toBe('malformed')
})

test('greetings and signs of life do not stand in for the first token', async () => {
  const beats = Array.from({ length: 500 }, (): (Event | Step)[] => [
    () => later(5),
    inProgress,
    { type: 'keepalive' },
  ]).flat()
  const { error } = await hearScript(streamOf([created, ...beats]), { ...patient, firstTokenMs: 100 })
  expect(error?.detail).toContain('first token')
})

test('greetings do not hide a silence in the middle of the answer', async () => {
  const beats = Array.from({ length: 500 }, (): (Event | Step)[] => [() => later(5), inProgress]).flat()
  const { error } = await hearScript(streamOf([created, text(0, 'a'), ...beats]), { ...patient, idleMs: 120 })
  expect(error?.detail).toContain('silence')
})

test('a model that thinks in secret is alive as long as it says so', async () => {
  const beats = Array.from({ length: 10 }, (): (Event | Step)[] => [
    () => later(30),
    { type: 'keepalive' },
  ]).flat()
  const patience = { ...patient, firstTokenMs: 100, idleMs: 150 }
  const alive = await hearScript(
    streamOf([created, added(0, thought(0, [])), ...beats, text(1, 'done'), over([])]),
    patience,
  )
  expect(alive.error).toBeUndefined()
  expect(textOf(alive.parts)).toBe('done')
  expect(JSON.stringify(alive.parts), 'no client knows it').not.toContain('keepalive')
  const silent = await hearScript(streamOf([created, added(0, thought(0, [])), stall]), patience)
  expect(silent.error).toMatchObject({ fault: 'timeout', executed: true })
  expect(silent.error?.detail).toContain('silence')
})

test.each(transcripts)(
  '$name: not streamed it means the same, and the whole body rides on the first part',
  async ({ events }) => {
    const { response } = events.at(-1) as Event & { response: Record<string, unknown> }
    const { parts, error } = await hearScript(
      json(200, response),
      patient,
      responsesTurn({}, { stream: false }),
    )
    expect(error).toBeUndefined()
    const streamed = (await hearScript(streamOf([over([], response)]))).parts
    expect(meaningOf(parts)).toEqual(meaningOf(streamed))
    expect(parts[0]?.extra).toEqual({ wire: 'responses', body: response })
    expect(parts.slice(1).some(({ extra }) => extra)).toBe(false)
  },
)

test('what is no answer is reported as what it is', async () => {
  const faultIn = async (body: unknown) => (await hearScript(json(200, body))).error
  expect(await faultIn({ error: { code: 'server_error', message: 'x' } })).toMatchObject({
    fault: 'unavailable',
    executed: true,
  })
  expect((await faultIn({ object: 'response' }))?.fault).toBe('malformed')
  expect((await faultIn([]))?.fault).toBe('malformed')
  expect((await faultIn('hello'))?.fault).toBe('malformed')
  const refused = json(400, { error: { message: 'no', type: 'invalid_request_error', param: 'text.format' } })
  expect((await hearScript(refused)).error).toMatchObject({
    fault: 'invalid_request',
    executed: false,
    param: 'text.format',
  })
})

const stopping = (stop: string[]) => chatTurn({}, { stop })

test('an answer ends where a stop sequence begins, however it was cut into deltas', async () => {
  const whole = 'one two END three'
  for (let size = 1; size <= whole.length; size += 1) {
    const pieces = whole.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
    const events = [created, ...pieces.map((piece) => text(0, piece)), over([message(0, whole)])]
    const { parts, error } = await hearScript(streamOf(events), patient, stopping(['STOP', 'END', '']))
    expect(error).toBeUndefined()
    expect(textOf(parts)).toBe('one two ')
    expect(parts.filter(({ type }) => type === 'finish')).toEqual([
      { type: 'finish', reason: 'stop', stopSequence: 'END' },
    ])
    expect(usageOf(parts), 'nothing is waited for').toEqual([])
  }
})

test('what only looked like a stop sequence is reported in full, and before what follows the text', async () => {
  const events = [
    created,
    text(0, 'an EN'),
    text(0, 'EN'),
    added(1, call(1, 'call_a', 'f', '{}')),
    over([message(0, 'an ENEN'), call(1, 'call_a', 'f', '{}')]),
  ]
  const { parts } = await hearScript(streamOf(events), patient, stopping(['END']))
  expect(textOf(parts)).toBe('an ENEN')
  expect(parts.findLastIndex(({ type }) => type === 'text')).toBeLessThan(
    parts.findIndex(({ type }) => type === 'tool-call'),
  )
  expect(finishOf(parts)).toEqual(['tool_calls'])
})

test('an upstream that writes on past a stop sequence is left at once', async () => {
  await using upstream = await fakeUpstream()
  await using provider = responsesOf(upstream)
  const more = Array.from({ length: 20 }, (): (Event | Step)[] => [() => later(10), text(0, 'more')]).flat()
  upstream.reply(streamOf([created, text(0, 'a END'), ...more]))
  const { parts, error } = await hear(provider, callOf(stopping(['END'])))
  expect(error).toBeUndefined()
  expect(textOf(parts)).toBe('a ')
  const asked = await upstream.call(0)
  await asked.whenClosed
  expect(asked.aborted).toBe(true)
})

test('where the model thought in secret, its usage is waited for; what fails by then takes nothing away', async () => {
  const begun = [created, done(0, thought(0, [], 'gAAA==')), text(1, 'a END')]
  const reported = await hearScript(
    streamOf([...begun, text(1, ' more'), over([message(1, 'a END more')])]),
    patient,
    stopping(['END']),
  )
  expect(reported.error).toBeUndefined()
  const { type, ...end } = { type: 'finish', reason: 'stop', stopSequence: 'END' } as const
  expect(reported.parts.slice(-3)).toEqual([{ type: 'text', text: 'a ' }, { type, ...end }, counted])
  const broken: Event = { type: 'error', code: 'server_error', message: 'late' }
  for (const tail of [[broken], [cut], [over([], { status: 'failed' })]] as (Event | Step)[][]) {
    const { parts, error } = await hearScript(streamOf([...begun, ...tail]), patient, stopping(['END']))
    expect(error).toBeUndefined()
    expect(parts.at(-1)).toEqual({ type, ...end })
  }
})

test('an answer that came whole ends at a stop sequence too, and is paid as it was counted', async () => {
  const body = { status: 'completed', output: [message(0, 'a END b'), call(1, 'c', 'f', '{}')], usage }
  const { parts } = await hearScript(json(200, body), patient, chatTurn({}, { stop: ['END'], stream: false }))
  const expected: AnswerPart[] = [
    { type: 'start' },
    { type: 'text', text: 'a ' },
    { type: 'finish', reason: 'stop', stopSequence: 'END' },
    counted,
  ]
  expect(parts).toEqual(expected)
})
