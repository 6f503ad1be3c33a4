/** Live transcription over the vendors' wires, and what every WebSocket to an upstream must bear. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type LiveCall, type LiveLink, type LiveTranscriber, UpstreamError } from '#core/spec'
import { openOutbound, openWebSocket } from '#platform/proxy'
import { deepgramTranscription } from '#providers/deepgram'
import { elevenLabsTranscription } from '#providers/elevenlabs'
import { type UpstreamAddress, UpstreamSocket } from '#providers/kit'
import { transcriptionsProvider } from '#providers/transcriptions'
import { privateAuthority } from '../harness/certificate.ts'
import { fakeHttpProxy, fakeSocksProxy } from '../harness/proxy.ts'
import { type SocketScript, socketUpstream, type UpstreamSession } from '../harness/socket-upstream.ts'
import { until } from '../harness/until.ts'
import { deepgramEars, type Ears, openAiEars, scribeEars } from '../harness/voice-wires.ts'
import { patient } from './asking.ts'
import { openLinkVendor, refusal } from './link-asking.ts'
import { secret } from './media-asking.ts'

const { upstream, opened, address } = await openLinkVendor()

/** 100 ms of a tone. */
const sound = (ms = 100): Uint8Array => {
  const pcm = new Int16Array((16_000 * ms) / 1_000)
  for (let at = 0; at < pcm.length; at++) pcm[at] = 8_000 * Math.sin((2 * Math.PI * 200 * at) / 16_000)
  return new Uint8Array(pcm.buffer)
}

interface Opened {
  link: LiveLink
  partials: string[]
  failures: UpstreamError[]
}

async function open(room: LiveTranscriber, more: Partial<LiveCall> = {}): Promise<Opened> {
  const partials: string[] = []
  const failures: UpstreamError[] = []
  const link = await room.open(
    {
      upstreamModel: 'ears-1',
      language: 'fa',
      signal: new AbortController().signal,
      timeouts: patient,
      ...more,
    },
    { partial: (text) => void partials.push(text), failed: (error) => void failures.push(error) },
  )
  opened.push(link)
  return { link, partials, failures }
}

interface Vendor {
  room: (address: UpstreamAddress) => LiveTranscriber & AsyncDisposable
  ears: (ears?: Ears) => () => SocketScript
  /** One message that stands for words, much too many of them. */
  babble: (text: string) => Record<string, unknown>
}

const vendors: Record<string, Vendor> = {
  Deepgram: {
    room: deepgramTranscription,
    ears: deepgramEars,
    babble: (transcript) => ({
      type: 'Results',
      is_final: false,
      channel: { alternatives: [{ transcript }] },
    }),
  },
  ElevenLabs: {
    room: elevenLabsTranscription,
    ears: scribeEars,
    babble: (text) => ({ message_type: 'partial_transcript', text }),
  },
  'OpenAI’s transcription sessions': {
    room: transcriptionsProvider,
    ears: openAiEars,
    babble: (delta) => ({
      type: 'conversation.item.input_audio_transcription.delta',
      item_id: 'item_1',
      delta,
    }),
  },
}

describe.each(Object.entries(vendors))('%s', (_, { room, ears, babble }) => {
  const at = (more?: Partial<LiveCall>) => open(room(address()), more)

  test('says what it understands, and the whole utterance when it is over, each by itself', async () => {
    upstream.serve(ears())
    const { link, partials, failures } = await at()
    for (const utterance of [1, 2]) {
      link.write(sound())
      link.write(sound())
      expect(await link.commit(), `utterance ${utterance}`).toMatchObject({ text: 'سلام دنیا' })
    }
    expect(partials[0]).toMatch(/^سلام/)
    expect(partials.every((text) => text === 'سلام' || text === 'سلام دنیا')).toBe(true)
    expect(await link.close()).toMatchObject({ seconds: 0.4 })
    expect(await upstream.sessions[0]!.whenClosed).not.toBe(1006)
    expect(failures).toEqual([])
  })

  test('an utterance without sound asks nothing', async () => {
    upstream.serve(ears())
    const { link } = await at()
    link.write(new Uint8Array(0))
    expect(await link.commit()).toEqual({ text: '' })
    expect(await link.close()).toMatchObject({ seconds: 0 })
  })

  test('a refused key is the operator’s fault, and its text is not told', async () => {
    upstream.refuse({ status: 401, body: { error: { message: `no such key: ${secret}` } } })
    const error = await refusal(at())
    expect(error).toMatchObject({ fault: 'authentication', status: 401, executed: false })
    expect(`${error.message} ${error.inside}`).not.toContain(secret)
  })

  test('a defect of the upstream at the door did no work', async () => {
    upstream.refuse({ status: 500, body: {} })
    expect(await refusal(at())).toMatchObject({ fault: 'unavailable', executed: false })
  })

  test('an upgrade that is never answered ends in time', async () => {
    upstream.refuse(undefined)
    const error = await refusal(at({ timeouts: { ...patient, firstByteMs: 30, connectMs: 30 } }))
    expect(error).toMatchObject({ fault: 'timeout', executed: false })
  })

  test('a transcript that never comes ends the link in time', async () => {
    upstream.serve(ears({ fault: (moment) => moment === 'commit' || moment === 'sound' }))
    const { link, failures } = await at({ timeouts: { ...patient, firstTokenMs: 30 } })
    link.write(sound())
    expect(await refusal(link.commit())).toMatchObject({ fault: 'timeout', executed: true })
    expect(failures).toMatchObject([{ fault: 'timeout' }])
    expect(await upstream.sessions[0]!.whenClosed).toBe(1006)
  })

  test.each<[string, (session: UpstreamSession) => void, string]>([
    ['closes at once', (session) => session.close(), 'cut'],
    ['closes with a reason', (session) => session.close(1008, 'rate limit'), 'unavailable'],
    ['asks to come back', (session) => session.close(1013), 'overloaded'],
    ['is cut', (session) => session.cut(), 'cut'],
    ['sends what is no JSON', (session) => session.send('{"type":'), 'malformed'],
    ['sends a list', (session) => session.send('[1]'), 'malformed'],
    ['sends 12 MB', (session) => session.send(`{"a":"${'x'.repeat(12_000_000)}"}`), 'malformed'],
    ['says too much', (session) => session.send(babble('واژه '.repeat(1_000))), 'malformed'],
  ])('one that %s in the middle ends the link and its commit', async (_name, fault, expected) => {
    const plays = (moment: string, session: UpstreamSession): boolean => {
      if (moment === 'commit') fault(session)
      return moment !== 'opened'
    }
    upstream.serve(ears({ fault: plays }))
    const { link, failures } = await at()
    link.write(sound())
    expect(await refusal(link.commit())).toMatchObject({ fault: expected, executed: true })
    expect(failures).toMatchObject([{ fault: expected }])
    link.write(sound())
    expect(await refusal(link.commit())).toMatchObject({ fault: 'aborted', executed: false })
    expect(await link.close()).toMatchObject({ seconds: 0.1 })
  })

  test('messages without end are an end', async () => {
    upstream.serve(
      ears({
        fault: (moment, session) => {
          // Wherever a window of ten seconds ends among them, one has more than ten thousand.
          if (moment === 'sound') for (let count = 0; count < 20_003; count++) session.send('{}')
          return moment === 'sound'
        },
      }),
    )
    const { link, failures } = await at()
    link.write(sound())
    await until(() => failures.length > 0)
    expect(failures).toMatchObject([{ fault: 'malformed' }])
  })

  test('an upstream that takes nothing more is not fed without end', async () => {
    upstream.serve(ears())
    const { link, failures } = await at()
    upstream.sessions[0]!.pause()
    const second = sound(1_000)
    for (let count = 0; count < 2_000 && failures.length === 0; count++) {
      link.write(second)
      if (count % 50 === 49) await pause(0)
    }
    expect(failures).toMatchObject([{ fault: 'timeout' }])
  })

  test('an abort cuts it, and what is open with it', async () => {
    upstream.serve(ears({ fault: (moment) => moment === 'commit' }))
    const abort = new AbortController()
    const { link, failures } = await at({ signal: abort.signal })
    link.write(sound())
    const commit = refusal(link.commit())
    abort.abort()
    expect(await commit).toMatchObject({ fault: 'aborted' })
    expect(failures).toMatchObject([{ fault: 'aborted' }])
    expect(await upstream.sessions[0]!.whenClosed).toBe(1006)
    expect(await refusal(at({ signal: abort.signal }))).toMatchObject({ fault: 'aborted', executed: false })
    expect(upstream.sessions).toHaveLength(1)
  })
})

describe('what each wire is asked', () => {
  test('Deepgram: in the address, with its end of speech off; words have times, and its seconds are never more than ours', async () => {
    upstream.serve(deepgramEars({ claims: 3_600 }))
    const ids: string[] = []
    const { link } = await open(deepgramTranscription(address()), {
      keywords: ['خرد', 'نگار'],
      onUpstreamId: (id) => void ids.push(id),
    })
    link.write(sound(500))
    await link.commit()
    link.write(sound(500))
    expect(await link.commit()).toEqual({
      text: 'سلام دنیا',
      language: 'fa',
      words: [
        { start: 0.5, end: 0.75, word: 'سلام' },
        { start: 0.75, end: 1, word: 'دنیا' },
      ],
    })
    const { path, headers, events, binaryBytes } = upstream.sessions[0]!
    expect(await link.close()).toEqual({ seconds: 1, claimedSeconds: 1 })
    expect(headers['authorization']).toBe(`Token ${secret}`)
    expect(headers['content-type']).toBeUndefined()
    expect([...new URL(path, 'http://x').searchParams]).toEqual([
      ['model', 'ears-1'],
      ['encoding', 'linear16'],
      ['sample_rate', '16000'],
      ['channels', '1'],
      ['interim_results', 'true'],
      ['endpointing', 'false'],
      ['smart_format', 'true'],
      ['language', 'fa'],
      ['keyterm', 'خرد'],
      ['keyterm', 'نگار'],
    ])
    expect(events.map(({ type }) => type)).toEqual(['Finalize', 'Finalize', 'CloseStream'])
    expect(binaryBytes).toBe(32_000)
    expect(ids).toEqual(['request-1'])
  })

  test('Deepgram: a Finalize that is not answered ends with what was said', async () => {
    upstream.serve(deepgramEars({ fault: (moment) => moment === 'commit' }))
    const { link } = await open(deepgramTranscription(address()))
    link.write(sound())
    expect(await link.commit()).toMatchObject({ text: 'سلام' })
  })

  test('ElevenLabs: sound in Base64, a commit by itself; too little sound is an empty utterance', async () => {
    let isQuiet = false
    upstream.serve(
      scribeEars({
        fault: (moment, session) => {
          if (moment !== 'commit' || !isQuiet) return false
          session.send({ message_type: 'insufficient_audio_activity', error: 'too little' })
          return true
        },
      }),
    )
    const { link, failures } = await open(elevenLabsTranscription(address()))
    const pcm = sound()
    link.write(pcm)
    await link.commit()
    const { path, headers, events } = upstream.sessions[0]!
    expect(path).toBe(
      '/v1/speech-to-text/realtime?model_id=ears-1&audio_format=pcm_16000&commit_strategy=manual&language_code=fa',
    )
    expect(headers['xi-api-key']).toBe(secret)
    const [first, second] = events
    expect(first).toEqual({
      message_type: 'input_audio_chunk',
      audio_base_64: Buffer.from(pcm).toString('base64'),
      commit: false,
      sample_rate: 16_000,
    })
    expect(second).toMatchObject({ audio_base_64: '', commit: true })
    isQuiet = true
    link.write(sound())
    expect(await link.commit()).toEqual({ text: '' })
    expect(failures).toEqual([])
  })

  test.each([
    ['quota_exceeded', 'authentication'],
    ['rate_limited', 'rate_limited'],
    ['resource_exhausted', 'overloaded'],
  ])('ElevenLabs: %s before the session began is %s, and no work', async (type, fault) => {
    const told = { message_type: type, error: `sorry ${secret}` }
    upstream.serve(() => ({ opened: (session) => session.send(told) }))
    const error = await refusal(open(elevenLabsTranscription(address())))
    expect(error).toMatchObject({ fault, executed: false })
    expect(`${error.message} ${error.inside}`).not.toContain(secret)
  })

  test.each([false, true])(
    'OpenAI: the session is asked for in the fields that the server knows (earlier: %s)',
    async (earlier) => {
      upstream.serve(openAiEars({ earlier }))
      const { link } = await open(transcriptionsProvider(address()), { prompt: 'خرد' })
      link.write(sound(1_000))
      await link.commit()
      const { path, headers, events } = upstream.sessions[0]!
      // A server of somebody else finds its model in the address.
      expect(path).toBe('/v1/realtime?intent=transcription&model=ears-1')
      expect(headers['authorization']).toBe(`Bearer ${secret}`)
      const transcription = { model: 'ears-1', language: 'fa', prompt: 'خرد' }
      expect(events[0]).toEqual(
        earlier
          ? {
              type: 'transcription_session.update',
              session: {
                input_audio_format: 'pcm16',
                input_audio_transcription: transcription,
                turn_detection: null,
              },
            }
          : {
              type: 'session.update',
              session: {
                type: 'transcription',
                audio: {
                  input: {
                    format: { type: 'audio/pcm', rate: 24_000 },
                    transcription,
                    turn_detection: null,
                  },
                },
              },
            },
      )
      const sent = events.filter(({ type }) => type === 'input_audio_buffer.append')
      const bytes = sent.reduce((sum, { audio }) => sum + Buffer.from(String(audio), 'base64').length, 0)
      // 24 kHz, without the few samples that the filter waits for.
      expect(bytes).toBeLessThanOrEqual(48_000)
      expect(bytes).toBeGreaterThan(47_900)
      expect(await link.close()).toEqual({ seconds: 1, tokens: { input: 20, output: 5 } })
    },
  )

  test('OpenAI: seconds that are claimed are never more than were sent', async () => {
    upstream.serve(openAiEars({ claims: 86_400 }))
    const { link } = await open(transcriptionsProvider(address()))
    link.write(sound(1_000))
    await link.commit()
    expect(await link.close()).toEqual({ seconds: 1, claimedSeconds: 1 })
  })

  test.each<[string, unknown[], object | undefined]>([
    [
      'of all utterances',
      [
        { input_tokens: 20, output_tokens: 5 },
        { input_tokens: 9, output_tokens: 2 },
      ],
      { input: 29, output: 7 },
    ],
    [
      'a zero in one of them',
      [
        { input_tokens: 20, output_tokens: 5 },
        { input_tokens: 0, output_tokens: 2 },
      ],
      { output: 7 },
    ],
    ['none in one of them', [{ input_tokens: 20, output_tokens: 5 }, {}], undefined],
    [
      'words in one of them',
      [
        { input_tokens: 20, output_tokens: '5' },
        { input_tokens: 9, output_tokens: 2 },
      ],
      { input: 29 },
    ],
  ])('OpenAI: tokens are counted where all utterances have them: %s', async (_, usages, tokens) => {
    upstream.serve(openAiEars({ usages }))
    const { link } = await open(transcriptionsProvider(address()))
    for (const _utterance of usages) {
      link.write(sound(500))
      await link.commit()
    }
    expect((await link.close()).tokens).toEqual(tokens)
  })

  test('OpenAI: an empty commit is an empty utterance, any other error the end', async () => {
    let code = 'input_audio_buffer_commit_empty'
    upstream.serve(
      openAiEars({
        fault: (moment, session) => {
          if (moment !== 'commit') return false
          session.send({ type: 'error', error: { type: 'invalid_request_error', code, message: 'small' } })
          return true
        },
      }),
    )
    const { link, failures } = await open(transcriptionsProvider(address()))
    link.write(sound())
    expect(await link.commit()).toEqual({ text: '' })
    code = 'rate_limit_exceeded'
    link.write(sound())
    expect(await refusal(link.commit())).toMatchObject({ fault: 'rate_limited' })
    expect(failures).toHaveLength(1)
  })

  test('whisper.cpp has no sessions', async () => {
    const error = await refusal(open(transcriptionsProvider({ baseUrl: `${upstream.url}/inference` })))
    expect(error).toMatchObject({ fault: 'not_found', executed: false })
  })
})

describe('the way to an upstream', () => {
  test.each([
    ['HTTP', fakeHttpProxy],
    ['SOCKS', fakeSocksProxy],
  ])(
    'a proxy of %s is asked for a tunnel to the name, and none is opened without it',
    async (_, fakeProxy) => {
      upstream.serve(deepgramEars())
      const port = Number(new URL(upstream.url).port)
      await using proxy = await fakeProxy({
        routes: (target) => (target === `vendor.test:${port}` ? port : undefined),
        login: { user: 'user', password: 'proxy-password' },
      })
      const { hostname: host, port: proxyPort, protocol } = new URL(proxy.url)
      const setting = {
        host,
        port: Number(proxyPort),
        protocol: protocol === 'http:' ? ('http' as const) : ('socks5' as const),
        username: 'user',
      }
      const through = (password: string, name = 'vendor.test') =>
        open(
          deepgramTranscription({
            baseUrl: `http://${name}:${port}/v1`,
            egress: { proxy: { ...setting, password } },
          }),
        )
      const { link } = await through('proxy-password')
      link.write(sound())
      expect(await link.commit()).toMatchObject({ text: 'سلام دنیا' })
      expect(proxy.asked).toEqual([`vendor.test:${port}`])
      expect(await refusal(through('wrong-password'))).toMatchObject({
        fault: 'authentication',
        executed: false,
      })
      expect(await refusal(through('proxy-password', 'other.test'))).toMatchObject({ executed: false })
      expect(upstream.sessions).toHaveLength(1)
    },
  )

  test('a certificate is checked: of the operator’s authority it is taken, of nobody it is not', async () => {
    const authority = privateAuthority()
    await using secure = await socketUpstream(authority.issue('localhost'))
    secure.serve(deepgramEars())
    const baseUrl = secure.url.replace('127.0.0.1', 'localhost')
    const none = { http: undefined, https: undefined, direct: [] }
    const outbound = openOutbound({
      proxies: none,
      tls: { ca: { file: 'ca', pem: authority.cert } },
    } as never)
    const error = await refusal(open(deepgramTranscription({ baseUrl })))
    expect(error).toMatchObject({ fault: 'connect', executed: false })
    expect(secure.sessions).toHaveLength(0)
    const { link } = await open(deepgramTranscription({ baseUrl, egress: outbound.egressTo(baseUrl) }))
    link.write(sound())
    expect(await link.commit()).toMatchObject({ text: 'سلام دنیا' })
  })

  test('one that does not answer our close is cut', async () => {
    upstream.serve(scribeEars())
    const { link, failures } = await open(elevenLabsTranscription(address()))
    const [session] = upstream.sessions
    session!.pause()
    await link.close()
    session!.resume()
    expect(await session!.whenClosed).toBe(1000)
    expect(failures).toEqual([])
  })

  test('one that gives no sign of life any more is cut, and one that only answers pings is not', async () => {
    const failures: UpstreamError[] = []
    const url = new URL(upstream.url)
    await UpstreamSocket.connect(
      () => openWebSocket(url, { headers: {}, connectMs: 5_000, maxMessageBytes: 1_000 }),
      {
        timeouts: patient,
        signal: new AbortController().signal,
        pulseMs: 20,
        secrets: [],
        faultOf: () => new UpstreamError('unavailable'),
      },
      {
        opened: (socket) => socket.ready(),
        event: () => undefined,
        failed: (error) => void failures.push(error),
      },
    )
    const [session] = upstream.sessions
    await until(() => session!.pings >= 10)
    expect(failures).toEqual([])
    session!.pause()
    await until(() => failures.length === 1)
    expect(failures).toMatchObject([{ fault: 'cut', detail: 'no sign of life' }])
  })

  test('nobody who listens is no work', async () => {
    const free = await socketUpstream()
    const { url: baseUrl } = free
    await free[Symbol.asyncDispose]()
    expect(await refusal(open(deepgramTranscription({ baseUrl })))).toMatchObject({
      fault: 'connect',
      executed: false,
    })
  })
})
