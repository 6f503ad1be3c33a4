import { Ajv2020 } from 'ajv/dist/2020.js'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { UpstreamError } from '#core/spec'
import type { AnswerPart, Message, MessageContent, Tool, Turn, Usage } from '#core/turn'
import { generated } from '../../tests/harness/parts.ts'
import { type SandboxClock, sandboxModels, sandboxProvider } from './sandbox.ts'
import { spokenMs, voices } from './speech/speech.ts'

const user = (text: string, ...media: MessageContent[]): Message => ({
  role: 'user',
  content: [...media, { type: 'text', text }],
})
const turnOf = (text: string | Message[], more: Partial<Turn> = {}): Turn => ({
  messages: typeof text === 'string' ? [user(text)] : text,
  tools: [],
  toolChoice: { type: 'auto' },
  parallelToolCalls: true,
  output: { type: 'text' },
  maxOutputTokens: 4096,
  stop: [],
  stream: true,
  source: { wire: 'chat', body: {} },
  ...more,
})
const timeouts = { connectMs: 1000, firstByteMs: 5000, firstTokenMs: 5000, idleMs: 5000, totalMs: 60_000 }

interface AskOptions {
  upstreamModel?: string
  signal?: AbortSignal
  clock?: SandboxClock
  onPart?: (part: AnswerPart) => void
}

async function ask(turn: Turn, { upstreamModel = 'fast', signal, clock, onPart }: AskOptions = {}) {
  const provider = sandboxProvider(clock ? { clock } : {})
  const parts: AnswerPart[] = []
  const call = {
    turn,
    upstreamModel,
    timeouts,
    attemptId: 'test',
  }
  for await (const part of generated(provider, call, signal)) {
    parts.push(part)
    onPart?.(part)
  }
  const textOf = (type: 'text' | 'reasoning' | 'refusal') =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('')
  const calls = parts
    .filter((part) => part.type === 'tool-call')
    .map(({ index, id, name }) => {
      const json = parts
        .flatMap((part) => (part.type === 'tool-arguments' && part.index === index ? [part.delta] : []))
        .join('')
      return { id, name, json, arguments: json.endsWith('}') ? (JSON.parse(json) as unknown) : undefined }
    })
  const finish = parts.find((part) => part.type === 'finish')?.reason
  const usage = parts.find((part) => part.type === 'usage')?.usage as Usage
  return {
    parts,
    text: textOf('text'),
    reasoning: textOf('reasoning'),
    refusal: textOf('refusal'),
    calls,
    finish,
    usage,
  }
}

/** The error of an answer that must fail, and the parts before it. */
async function failure(
  turn: Turn,
  asked: AskOptions = {},
): Promise<{ error: UpstreamError; before: AnswerPart[] }> {
  const before: AnswerPart[] = []
  try {
    await ask(turn, {
      ...asked,
      onPart: (part) => {
        before.push(part)
        asked.onPart?.(part)
      },
    })
  } catch (error) {
    if (error instanceof UpstreamError) return { error, before }
    throw error
  }
  throw new Error('The answer did not fail.')
}

describe('text', () => {
  test('the same turn gets the same parts, and another seed another long text', async () => {
    const first = await ask(turnOf('write 50 words', { seed: 1 }))
    expect((await ask(turnOf('write 50 words', { seed: 1, stream: false }))).parts).toEqual(first.parts)
    expect((await ask(turnOf('write 50 words', { seed: 2 }))).text).not.toBe(first.text)
  })

  test('says that it is a simulator and quotes the question in the language of the question', async () => {
    expect((await ask(turnOf('Who are you?'))).text).toMatch(/sandbox.*not an intelligent.*“Who are you\?”/)
    const persian = (await ask(turnOf('تو کی هستی؟'))).text
    expect(persian).toContain('شبیه‌ساز')
    expect(persian).toContain('«تو کی هستی؟»')
    expect(persian).not.toMatch(/[يكA-Za-z]/)
  })

  test('a system message, or the question itself, sets the language', async () => {
    const system: Message = { role: 'system', content: [{ type: 'text', text: 'Always answer in Persian.' }] }
    expect((await ask(turnOf([system, user('Hello')]))).text).toContain('شبیه‌ساز')
    expect((await ask(turnOf([system, user('Hello, reply in English')]))).text).toContain('simulator')
    expect((await ask(turnOf('سلام، لطفاً به انگلیسی جواب بده'))).text).toContain('simulator')
    expect((await ask(turnOf('كيف حالك يا صديقي العزيز؟ أين المدرسة'))).text).toContain('simulator')
  })

  test('an answer that is read aloud is a sentence about what was heard and a question back, of less than ten seconds', async () => {
    const aloud: Message = {
      role: 'system',
      content: [{ type: 'text', text: 'You are in a call. What you write is read aloud.' }],
    }
    const answerTo = async (text: string): Promise<string> => (await ask(turnOf([aloud, user(text)]))).text
    expect(await answerTo('ساعت چند است؟')).toMatch(/^شبیه‌ساز خرد .*«ساعت چند است؟»\. [^.]+؟$/)
    expect(await answerTo('Who are you?')).toMatch(/^The Kherad sandbox .*“Who are you\?”\. [^.]+\?$/)
    expect(await answerTo('چه خبر، ۲ + ۲ چند می‌شود؟')).toBe('۲ + ۲ = ۴')
    for (const text of [
      'یک پرسش بسیار بلند دربارهٔ هوا '.repeat(40),
      'a very long question about it '.repeat(40),
    ])
      for (const voice of voices) expect(spokenMs(await answerTo(text), voice)).toBeLessThan(9_000)
    const recording = 'What to do with it: reply\n\n<recording>\nفردا هوا چطور است؟\n</recording>'
    expect(await answerTo(recording)).toContain('«فردا هوا چطور است؟»')
    const silent = '<recording>\n(Nothing was said in it.)\n</recording>'
    expect(await answerTo(silent)).toMatch(/heard no words/)
  })

  test('repeats exactly what it is told to', async () => {
    expect((await ask(turnOf('Repeat exactly: Hello  World 👩‍👩‍👧!'))).text).toBe('Hello  World 👩‍👩‍👧!')
    expect((await ask(turnOf('دقیقاً بنویس: «کتاب‌های من»'))).text).toBe('کتاب‌های من')
  })

  test('counts, calculates and writes as many words and paragraphs as asked', async () => {
    expect((await ask(turnOf('Count to 5'))).text).toBe('1, 2, 3, 4, 5')
    expect((await ask(turnOf('از ۸ تا ۱۱ بشمار'))).text).toBe('۸، ۹، ۱۰، ۱۱')
    expect((await ask(turnOf('What is 2 + 3 * (4 - 1)?'))).text).toBe('2 + 3 * (4 - 1) = 11')
    expect((await ask(turnOf('۱۲ ضربدر ۷ چند می‌شود؟'))).text).toBe('۱۲ * ۷ = ۸۴')
    expect((await ask(turnOf('دو به‌علاوهٔ سه'))).text).toBe('۲ + ۳ = ۵')
    expect((await ask(turnOf('۵ تقسیم بر ۰ چند می‌شود؟'))).text).toContain('صفر')
    expect((await ask(turnOf('Write 120 words about books'))).text.split(/\s+/)).toHaveLength(120)
    expect((await ask(turnOf('یک متن ۴۰ کلمه‌ای بنویس'))).text.split(/\s+/)).toHaveLength(40)
    expect((await ask(turnOf('سه پاراگراف دربارهٔ کتاب بنویس'))).text.split('\n\n')).toHaveLength(3)
  })

  test('every part is whole characters, and parts count as the tokenizer counts', async () => {
    const emoji = 'Repeat exactly: 🏳️‍🌈𝔘𝔫𝔦 نیم‌فاصله 漢字 <|endoftext|>'
    const { parts, text, usage } = await ask(turnOf(emoji))
    for (const part of parts)
      if (part.type === 'text') expect(part.text.isWellFormed() && !part.text.includes('�')).toBe(true)
    expect(text).toBe(emoji.slice('Repeat exactly: '.length))
    expect(usage.output).toBe(encode(text, { disallowedSpecial: new Set() }).length)
  })
})

describe('limits', () => {
  test('the token limit is kept to the token and ends with length', async () => {
    for (const maxOutputTokens of [1, 7, 50]) {
      const { usage, finish, text } = await ask(turnOf('write 200 words', { maxOutputTokens }))
      expect(finish).toBe('length')
      expect(usage.output).toBe(maxOutputTokens)
      expect(encode(text).length).toBe(maxOutputTokens)
    }
  })

  test('an answer exactly as long as the limit ends with stop', async () => {
    const { usage } = await ask(turnOf('count to 9'))
    expect((await ask(turnOf('count to 9', { maxOutputTokens: usage.output }))).finish).toBe('stop')
    expect((await ask(turnOf('count to 9', { maxOutputTokens: usage.output - 1 }))).finish).toBe('length')
  })

  test('a stop sequence cuts before its first match, also across token borders and in Persian', async () => {
    const english = await ask(
      turnOf('Repeat exactly: The quick brown fox jumps', { stop: ['ck bro', 'jumps'] }),
    )
    expect(english).toMatchObject({ text: 'The qui', finish: 'stop' })
    const persian = await ask(turnOf('دقیقاً بنویس: کتاب خوب می‌خوانم', { stop: ['ب می'] }))
    expect(persian).toMatchObject({ text: 'کتاب خو', finish: 'stop' })
    expect(persian.usage.output).toBe(encode('کتاب خو').length)
  })

  test('input past the context length is refused as context overflow', async () => {
    const { error } = await failure(turnOf('word '.repeat(40_000)))
    expect(error).toMatchObject({ fault: 'context_overflow', status: 400, executed: false })
    const asked = await failure(turnOf('word '.repeat(30_000), { requestedOutputTokens: 4096 }))
    expect(asked.error.fault).toBe('context_overflow')
    expect((await ask(turnOf('word '.repeat(30_000)))).finish).toBe('stop')
  })

  test('a long run of one letter is counted within seconds', async () => {
    const before = process.cpuUsage()
    await ask(turnOf('a'.repeat(200_000)), { upstreamModel: 'omni' })
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000)
  })
})

describe('usage', () => {
  test('input is the tokens of the texts with three a message and three for the reply', async () => {
    const text = 'سلام، یک پرسش ساده'
    const { usage } = await ask(turnOf(text))
    expect(usage).toMatchObject({
      input: encode(text).length + encode('user').length + 6,
      mediaInput: 0,
      cachedInput: 0,
    })
  })

  test('tools and schemas count, cached tokens only when ordered', async () => {
    const plain = (await ask(turnOf('hello'))).usage.input
    const tools = [{ name: 'get_weather', parameters: { type: 'object' } }]
    expect((await ask(turnOf('hello', { tools }))).usage.input).toBeGreaterThan(plain + 8)
    expect((await ask(turnOf('hello [[sandbox: cached=4]]'))).usage.cachedInput).toBe(4)
    const { usage } = await ask(turnOf('hello [[sandbox: cached=999999]]'))
    expect(usage.cachedInput).toBe(usage.input)
  })
})

const weather: Tool = {
  name: 'get_weather',
  description: 'Current weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
    required: ['city'],
    additionalProperties: false,
  },
}
const search: Tool = {
  name: 'web_search',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer', maximum: 10 } },
    required: ['query', 'limit'],
  },
}
const tools = [search, weather]

describe('tools', () => {
  test('calls the mentioned tool with arguments from the words of the user', async () => {
    const { calls, finish, text } = await ask(
      turnOf('What is the weather in Tehran, in Fahrenheit?', { tools }),
    )
    expect(calls.map((call) => [call.name, call.arguments])).toEqual([
      ['get_weather', { city: 'Tehran', unit: 'fahrenheit' }],
    ])
    expect([finish, text]).toEqual(['tool_calls', ''])
    const persian = await ask(turnOf('هوای شیراز چطور است؟', { tools }))
    expect(persian.calls.map((call) => [call.name, (call.arguments as { city: string }).city])).toEqual([
      ['get_weather', 'شیراز'],
    ])
  })

  test('answers in text when nothing is mentioned, or the choice is none', async () => {
    expect(await ask(turnOf('Hello, how are you?', { tools }))).toMatchObject({ calls: [], finish: 'stop' })
    const none = turnOf('What is the weather in Tehran?', { tools, toolChoice: { type: 'none' } })
    expect(await ask(none)).toMatchObject({ calls: [], finish: 'stop' })
  })

  test('a required or named choice always calls, with arguments that are valid', async () => {
    const required = await ask(turnOf('Hello', { tools, toolChoice: { type: 'required' } }))
    expect(required.calls.map((call) => call.name)).toEqual(['web_search'])
    const named = await ask(turnOf('سلام', { tools, toolChoice: { type: 'tool', name: 'get_weather' } }))
    expect(named.calls.map((call) => call.name)).toEqual(['get_weather'])
    const ajv = new Ajv2020()
    expect(ajv.validate(search.parameters, required.calls[0]?.arguments)).toBe(true)
    expect(ajv.validate(weather.parameters, named.calls[0]?.arguments)).toBe(true)
    const missing = await failure(turnOf('Hello', { tools, toolChoice: { type: 'tool', name: 'nope' } }))
    expect(missing.error).toMatchObject({ fault: 'invalid_request', param: 'tool_choice' })
  })

  test('several cities and tools are called in parallel with different ids, or one by one when forbidden', async () => {
    const text = 'Compare the weather in Tehran and Paris and search the web for hotels'
    const { calls } = await ask(turnOf(text, { tools }))
    expect(calls.map((call) => call.name)).toEqual(['get_weather', 'get_weather', 'web_search'])
    expect(new Set(calls.map((call) => call.id)).size).toBe(3)
    for (const call of calls) expect(call.id).toMatch(/^call_[0-9a-f]{24}$/)
    expect((await ask(turnOf(text, { tools, parallelToolCalls: false }))).calls).toHaveLength(1)
  })

  test('after results it quotes them, and calls again only when forced', async () => {
    const messages: Message[] = [
      user('هوای تهران و پاریس چطور است؟'),
      {
        role: 'assistant',
        content: [],
        toolCalls: [
          { id: 'a', name: 'get_weather', arguments: '{"city":"تهران"}' },
          { id: 'b', name: 'get_weather', arguments: '{"city":"پاریس"}' },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: '{"temp":31}' }] },
      { role: 'tool', toolCallId: 'b', content: [{ type: 'text', text: '{"temp":18}' }] },
    ]
    const { text, calls, finish } = await ask(turnOf(messages, { tools }))
    expect(text).toContain('نتیجهٔ ابزار get_weather: {"temp":31}')
    expect(text).toContain('{"temp":18}')
    expect([calls, finish]).toEqual([[], 'stop'])
    expect((await ask(turnOf(messages, { tools, toolChoice: { type: 'required' } }))).finish).toBe(
      'tool_calls',
    )
  })

  test('arguments cut by the token limit end with length', async () => {
    const cut = await ask(turnOf('weather in Tehran', { tools, maxOutputTokens: 6 }))
    expect(cut).toMatchObject({ finish: 'length', usage: { output: 6 } })
    expect(cut.calls[0]?.json).not.toMatch(/}$/)
  })
})

describe('structured output', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      answer: { type: 'string' },
      tags: { type: 'array', items: { enum: ['red', 'blue'] }, minItems: 2, uniqueItems: true },
      score: { type: 'number', minimum: 0, maximum: 1 },
    },
    required: ['city', 'answer', 'tags', 'score'],
    additionalProperties: false,
  }
  const output = { type: 'json_schema', name: 'reply', schema, strict: true } as const

  test('json_schema output validates and uses the question', async () => {
    const { text, finish } = await ask(turnOf('در اصفهان چه خبر است؟', { output }))
    const value = JSON.parse(text) as unknown
    expect(new Ajv2020().validate(schema, value)).toBe(true)
    expect(value).toMatchObject({ city: 'اصفهان' })
    expect(finish).toBe('stop')
    expect((await ask(turnOf('hello', { output, maxOutputTokens: 5 }))).finish).toBe('length')
  })

  test('json_object output is an object about the question', async () => {
    const { text } = await ask(turnOf('Give me JSON: what is 2+2?', { output: { type: 'json_object' } }))
    expect(JSON.parse(text)).toMatchObject({ sandbox: true, answer: '2+2 = 4' })
  })

  test('a schema that cannot be met is refused with its place', async () => {
    const impossible = {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 2, maximum: 1 } },
      required: ['a'],
    }
    const { error } = await failure(turnOf('x', { output: { ...output, schema: impossible } }))
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
    expect(error.detail).toContain('/a')
  })
})

describe('reasoning', () => {
  const think = (more: Partial<Turn>) =>
    ask(turnOf('چرا آسمان آبی است؟', more), { upstreamModel: 'reasoner' })

  test('more effort gives more reasoning, in the language of the user, before the text', async () => {
    const efforts = await Promise.all(
      ['low', 'medium', 'high'].map((effort) => think({ reasoning: { enabled: true, effort } })),
    )
    const [low, medium, high] = efforts.map((answer) => answer.usage.reasoning)
    expect(low).toBeGreaterThan(0)
    expect(medium).toBeGreaterThan(low ?? 0)
    expect(high).toBeGreaterThan(medium ?? 0)
    expect(efforts[0]?.reasoning).toContain('«چرا آسمان آبی است؟»')
    const kinds = efforts[0]?.parts.map((part) => part.type) ?? []
    expect(kinds.lastIndexOf('reasoning')).toBeLessThan(kinds.indexOf('text'))
  })

  test('without a wish it thinks with low effort, switched off not at all, and other models never', async () => {
    expect((await think({})).reasoning).toBe(
      (await think({ reasoning: { enabled: true, effort: 'low' } })).reasoning,
    )
    expect((await think({ reasoning: { enabled: false } })).usage.reasoning).toBe(0)
    expect((await think({ reasoning: { enabled: true, effort: 'none' } })).usage.reasoning).toBe(0)
    expect((await ask(turnOf('hi', { reasoning: { enabled: true, effort: 'high' } }))).usage.reasoning).toBe(
      0,
    )
  })

  test('reasoning is a part of the output and of its limit, and keeps its own limit', async () => {
    const unlimited = await think({})
    expect(unlimited.usage.output).toBe(unlimited.usage.reasoning + encode(unlimited.text).length)
    expect(await think({ maxOutputTokens: 10 })).toMatchObject({
      text: '',
      finish: 'length',
      usage: { output: 10, reasoning: 10 },
    })
    const capped = await think({ reasoning: { enabled: true, maxTokens: 12 } })
    expect(capped.usage.reasoning).toBeLessThanOrEqual(12)
    expect(capped.text).toBe(unlimited.text)
  })
})

describe('media', () => {
  const image: MessageContent = {
    type: 'image',
    media: { mediaType: 'image/png', width: 640, height: 480, data: new Uint8Array(9) },
  }
  const audio: MessageContent = {
    type: 'audio',
    media: { mediaType: 'audio/wav', durationSeconds: 3.2, data: new Uint8Array(9) },
  }
  const video: MessageContent = {
    type: 'video',
    media: { mediaType: 'video/mp4', width: 320, height: 240, durationSeconds: 2, data: new Uint8Array(9) },
  }

  test('media are acknowledged by their measured properties in the language of the question', async () => {
    const persian = await ask(turnOf([user('این چیست؟', image, audio, video)]), { upstreamModel: 'omni' })
    expect(persian.text).toContain('یک تصویر PNG با اندازهٔ ۶۴۰×۴۸۰ دریافت شد.')
    expect(persian.text).toContain('۳٫۲ ثانیه')
    expect(persian.text).toContain('۳۲۰×۲۴۰')
    const english = await ask(turnOf([user('What is this?', audio)]), { upstreamModel: 'omni' })
    expect(english.text).toContain('Received a 3.2 s WAV audio.')
  })

  test('media count by their formulas, audio and video also as media input', async () => {
    const bare = (await ask(turnOf([user('x')]), { upstreamModel: 'omni' })).usage
    const full = (await ask(turnOf([user('x', image, audio, video)]), { upstreamModel: 'omni' })).usage
    expect(full.mediaInput).toBe(80 + 520)
    expect(full.input - bare.input).toBe(2 * 170 + 85 + 80 + 520)
  })

  test('a model refuses media that it does not take', async () => {
    expect((await failure(turnOf([user('x', image)]))).error.fault).toBe('invalid_request')
    expect((await failure(turnOf([user('x', audio)]), { upstreamModel: 'reasoner' })).error.fault).toBe(
      'invalid_request',
    )
  })
})

describe('orders for tests', () => {
  test('faults come as ordered: before all, after n pieces, or only at one upstream model', async () => {
    const early = await failure(turnOf('hi [[sandbox: fault=rate_limited retry_after_ms=700]]'))
    expect(early.error).toMatchObject({
      fault: 'rate_limited',
      status: 429,
      executed: false,
      retryAfterMs: 700,
    })
    expect(early.before).toEqual([])
    const late = await failure(turnOf('hi [[sandbox: fault=cut after=5]]'))
    expect(late.error.fault).toBe('cut')
    expect(late.before.filter((part) => part.type === 'text')).toHaveLength(5)
    const one = turnOf('hi [[sandbox: fault=unavailable on=fast:a]]')
    expect((await failure(one, { upstreamModel: 'fast:a' })).error).toMatchObject({
      fault: 'unavailable',
      status: 503,
    })
    expect((await ask(one, { upstreamModel: 'fast:b' })).finish).toBe('stop')
  })

  test('the marker is not echoed, and an unknown order is refused', async () => {
    expect((await ask(turnOf('Repeat exactly: hello [[sandbox: token_ms=0]]'))).text).toBe('hello')
    expect((await failure(turnOf('hi [[sandbox: falt=cut]]'))).error).toMatchObject({
      fault: 'invalid_request',
      param: 'messages',
    })
  })

  test('a text of n tokens, a refusal, and a stream without finish or usage', async () => {
    for (const question of ['hello', 'سلام'])
      expect(await ask(turnOf(`${question} [[sandbox: tokens=500]]`))).toMatchObject({
        finish: 'stop',
        usage: { output: 500 },
      })
    const refused = await ask(turnOf('سلام [[sandbox: refuse]]'))
    expect(refused).toMatchObject({ finish: 'content_filter', text: '' })
    expect(refused.refusal).toContain('شبیه‌ساز')
    expect((await ask(turnOf('hi [[sandbox: omit=finish]]'))).finish).toBeUndefined()
    expect((await ask(turnOf('hi [[sandbox: omit=usage]]'))).usage).toBeUndefined()
  })

  test('pace waits before the first and between later pieces, and runs into the timeouts of the call', async () => {
    const waits: number[] = []
    const clock: SandboxClock = { wait: async (ms) => void waits.push(ms) }
    await ask(turnOf('count to 3 [[sandbox: first_token_ms=200 token_ms=20]]'), { clock })
    expect(waits[0]).toBe(200)
    expect(new Set(waits.slice(1))).toEqual(new Set([20]))
    const slow = await failure(turnOf('hi [[sandbox: first_token_ms=9000]]'), { clock })
    expect(slow.error.fault).toBe('timeout')
    expect((await failure(turnOf('hi [[sandbox: fault=stall]]'), { clock })).error.fault).toBe('timeout')
  })

  test('an abort ends the answer at once, between pieces and while it waits', async () => {
    const flowing = new AbortController()
    const stopped = failure(turnOf('write 3000 words'), {
      signal: flowing.signal,
      onPart: (part) => part.type === 'text' && flowing.abort(),
    })
    expect((await stopped).error.fault).toBe('aborted')
    const waiting = new AbortController()
    const turn = turnOf('hi [[sandbox: token_ms=4000]]')
    const first = failure(turn, {
      signal: waiting.signal,
      onPart: (part) => part.type === 'text' && setImmediate(() => waiting.abort()),
    })
    expect((await first).error.fault).toBe('aborted')
    expect((await failure(turnOf('hi'), { signal: AbortSignal.abort() })).error.fault).toBe('aborted')
  })
})

describe('the room', () => {
  test('answers a ping, and knows no foreign model', async () => {
    await expect(sandboxProvider().ping(new AbortController().signal)).resolves.toBeUndefined()
    expect((await failure(turnOf('hi'), { upstreamModel: 'gpt-x' })).error).toMatchObject({
      fault: 'not_found',
      status: 404,
    })
  })

  test('every model says in both languages that it is a simulator', () => {
    expect(sandboxModels.map((model) => model.id)).toEqual([
      'sandbox/fast',
      'sandbox/omni',
      'sandbox/reasoner',
      'sandbox/image',
      'sandbox/vector',
      'sandbox/speech',
      'sandbox/transcribe',
      'sandbox/embedding',
      'sandbox/video',
      'sandbox/realtime',
    ])
    for (const model of sandboxModels) {
      expect(`${model.displayName} ${model.description}`).toMatch(/[Ss]imulator[\s\S]*شبیه‌ساز/)
      expect(model.sandbox && model.deployments.every((each) => each.provider === 'sandbox')).toBe(true)
    }
  })
})
