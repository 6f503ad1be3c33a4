/** Realtime models over the vendors' wires. */
import { describe, expect, test } from 'vitest'
import type {
  RealtimeCall,
  RealtimeEnd,
  RealtimeLink,
  RealtimeProvider,
  RealtimeSetup,
  UpstreamError,
} from '#core/spec'
import { geminiRealtime } from '#providers/gemini-live'
import type { UpstreamAddress } from '#providers/kit'
import { realtimeProvider } from '#providers/realtime'
import type { SocketScript, UpstreamSession } from '../harness/socket-upstream.ts'
import { until } from '../harness/until.ts'
import { geminiVoice, openAiVoice, type Voice, voiceOf } from '../harness/voice-wires.ts'
import { patient } from './asking.ts'
import { openLinkVendor, refusal } from './link-asking.ts'
import { secret } from './media-asking.ts'

const { upstream, opened, address } = await openLinkVendor()

const setup: RealtimeSetup = {
  instructions: 'کوتاه پاسخ بده.',
  voice: 'marin',
  speaks: true,
  tools: [{ name: 'weather', description: 'هوای یک شهر', parameters: { type: 'object', properties: {} } }],
  toolChoice: 'auto',
  maxOutputTokens: 200,
  maxInputTokens: 8_000,
  transcription: { model: 'ears-1', language: 'fa' },
}

interface Talk {
  link: RealtimeLink
  /** What came, in order: `began`, `sound 4800`, `words سلام`, `heard …`, `call …`, `committed`, `leaving`. */
  told: string[]
  sound: Buffer[]
  ends: RealtimeEnd[]
  failures: UpstreamError[]
}

async function talk(provider: RealtimeProvider, more: Partial<RealtimeCall> = {}): Promise<Talk> {
  const told: string[] = []
  const sound: Buffer[] = []
  const ends: RealtimeEnd[] = []
  const failures: UpstreamError[] = []
  const link = await provider.connect(
    {
      upstreamModel: 'voice-1',
      setup,
      signal: new AbortController().signal,
      timeouts: patient,
      ...more,
    },
    {
      committed: () => void told.push('committed'),
      userTranscript: ({ text, isFinal }) => void told.push(`heard ${text}${isFinal ? '.' : '…'}`),
      began: () => void told.push('began'),
      sound: (_itemId, pcm) => {
        sound.push(Buffer.from(pcm))
        told.push(`sound ${pcm.length}`)
      },
      words: (_itemId, delta, spoken) => void told.push(`${spoken ? 'words' : 'text'} ${delta}`),
      functionCall: (call) => void told.push(`call ${call.name} ${call.callId} ${call.arguments}`),
      finished: (end) => void ends.push(end),
      leaving: () => void told.push('leaving'),
      failed: (error) => void failures.push(error),
    },
  )
  opened.push(link)
  return { link, told, sound, ends, failures }
}

interface Vendor {
  room: (address: UpstreamAddress) => RealtimeProvider & AsyncDisposable
  voice: (voice?: Voice) => () => SocketScript
  /** Sound of an answer. */
  sound: (pcm: Buffer) => Record<string, unknown>
  words: (text: string) => Record<string, unknown>
  usage: Record<string, number>
}

const vendors: Record<string, Vendor> = {
  'OpenAI’s realtime wire': {
    room: realtimeProvider,
    voice: openAiVoice,
    sound: (pcm) => ({
      type: 'response.output_audio.delta',
      item_id: 'item_1',
      delta: pcm.toString('base64'),
    }),
    words: (delta) => ({ type: 'response.output_audio_transcript.delta', item_id: 'item_1', delta }),
    usage: {
      textInput: 59,
      audioInput: 9,
      imageInput: 0,
      cachedTextInput: 60,
      cachedAudioInput: 4,
      textOutput: 30,
      audioOutput: 91,
    },
  },
  'Gemini’s Live API': {
    room: geminiRealtime,
    voice: geminiVoice,
    sound: (pcm) => ({
      serverContent: { modelTurn: { parts: [{ inlineData: { data: pcm.toString('base64') } }] } },
    }),
    words: (text) => ({ serverContent: { outputTranscription: { text } } }),
    // 30 tokens that no detail explains count as sound.
    usage: {
      textInput: 120,
      audioInput: 180,
      imageInput: 0,
      cachedTextInput: 0,
      cachedAudioInput: 0,
      textOutput: 0,
      audioOutput: 80,
    },
  },
}

describe.each(Object.entries(vendors))('%s', (_, { room, voice, sound, words, usage }) => {
  const at = (more?: Partial<RealtimeCall>) => talk(room(address()), more)
  const speak = ({ link }: Talk): void => {
    link.write(new Uint8Array(3_200).fill(1))
    link.commit()
    link.respond()
  }

  test('a spoken turn is heard, answered in sound and words, and counted', async () => {
    upstream.serve(voice())
    const call = await at()
    speak(call)
    await until(() => call.ends.length === 1)
    expect(call.told).toEqual(expect.arrayContaining(['committed', 'heard سلام…', 'heard سلام.', 'began']))
    expect(call.told.filter((line) => line === 'began')).toHaveLength(1)
    expect(call.told.filter((line) => line.startsWith('words'))).toEqual(['words سلام', 'words  دنیا'])
    expect(Buffer.concat(call.sound).equals(Buffer.concat([voiceOf(0), voiceOf(1)]))).toBe(true)
    expect(call.ends).toEqual([{ status: 'completed', usage }])
    expect(call.failures).toEqual([])
  })

  test('nothing is answered before it is asked for, however much was said', async () => {
    upstream.serve(voice())
    const call = await at()
    call.link.write(new Uint8Array(3_200))
    call.link.commit()
    call.link.add({ type: 'message', role: 'user', text: 'سلام' })
    await until(() => call.told.includes('committed'))
    expect(call.told.filter((line) => line === 'began')).toEqual([])
    call.link.respond()
    await until(() => call.ends.length === 1)
    expect(() => call.link.respond()).not.toThrow()
    expect(() => call.link.respond()).toThrow('Two answers')
    await until(() => call.ends.length === 2)
  })

  test('sound that was discarded is in no turn', async () => {
    upstream.serve(voice())
    const call = await at()
    call.link.write(new Uint8Array(3_200).fill(7))
    call.link.discard()
    call.link.write(new Uint8Array(640).fill(9))
    call.link.commit()
    call.link.respond()
    await until(() => call.ends.length === 1)
    const kept = Buffer.from(new Uint8Array(640).fill(9)).toString('base64')
    expect(JSON.stringify(upstream.sessions[0]!.events)).toContain(kept)
  })

  test('a function is called, and its result answered', async () => {
    upstream.serve(voice({ calls: { name: 'weather', arguments: { city: 'تهران' } } }))
    const call = await at()
    speak(call)
    await until(() => call.ends.length === 1)
    expect(call.told).toContain('call weather call_1 {"city":"تهران"}')
    expect(call.ends[0]).toEqual({ status: 'completed', usage })
    call.link.add({ type: 'function_result', callId: 'call_1', name: 'weather', output: '{"degrees":21}' })
    call.link.respond()
    await until(() => call.ends.length === 2)
    expect(call.told).toContain('words سلام')
    expect(JSON.stringify(upstream.sessions[0]!.events)).toContain('degrees')
  })

  test('of an answer that is not wanted nothing more comes but its end', async () => {
    upstream.serve(voice({ fault: (moment) => moment === 'middle' }))
    const call = await at()
    speak(call)
    await until(() => call.sound.length === 1)
    const session = upstream.sessions[0]!
    call.link.cancel()
    call.link.cancel()
    // What was on its way.
    session.send(sound(voiceOf(1)))
    await until(() => call.ends.length === 1)
    expect(call.ends[0]).toMatchObject({ status: 'cancelled' })
    expect(call.sound).toHaveLength(1)
  })

  test('without usage there is none: whoever pays takes the worst', async () => {
    upstream.serve(voice({ usage: null }))
    const call = await at()
    speak(call)
    await until(() => call.ends.length === 1)
    expect(call.ends).toEqual([{ status: 'completed' }])
  })

  test('an answer that nobody asked for ends the session', async () => {
    upstream.serve(voice())
    const call = await at()
    upstream.sessions[0]!.send(sound(voiceOf(0)))
    await until(() => call.failures.length === 1)
    expect(call.failures).toMatchObject([{ fault: 'malformed', executed: true }])
    expect(call.told).toEqual([])
  })

  test.each<[string, (session: UpstreamSession) => void]>([
    // 200 tokens are 20 seconds at most.
    ['sound', (session) => Array.from({ length: 23 }, () => session.send(sound(Buffer.alloc(48_000))))],
    ['words', (session) => session.send(words('واژه '.repeat(4_000)))],
  ])('more %s than the answer was allowed ends the session', async (_name, fault) => {
    const plays = (moment: string, session: UpstreamSession): boolean => {
      if (moment === 'middle') fault(session)
      return moment === 'middle'
    }
    upstream.serve(voice({ fault: plays }))
    const call = await at()
    speak(call)
    await until(() => call.failures.length === 1)
    expect(call.failures).toMatchObject([{ fault: 'malformed' }])
  })

  test.each([
    ['answers nothing', 'answer' as const, { firstTokenMs: 30 }],
    ['stops in the middle', 'middle' as const, { idleMs: 30 }],
  ])('an upstream that %s ends the session in time', async (_name, when, limit) => {
    upstream.serve(voice({ fault: (moment) => moment === when }))
    const call = await at({ timeouts: { ...patient, ...limit } })
    speak(call)
    await until(() => call.failures.length === 1)
    expect(call.failures).toMatchObject([{ fault: 'timeout', executed: true }])
    expect(call.ends).toEqual([])
    expect(await upstream.sessions[0]!.whenClosed).toBe(1006)
  })

  test.each<[string, (session: UpstreamSession) => void, string]>([
    ['closes', (session) => session.close(), 'cut'],
    ['is cut', (session) => session.cut(), 'cut'],
    ['sends no JSON', (session) => session.send('{'), 'malformed'],
    ['sends 12 MB', (session) => session.send(`{"a":"${'x'.repeat(12_000_000)}"}`), 'malformed'],
  ])('one that %s in the middle of an answer fails once', async (_name, fault, expected) => {
    upstream.serve(
      voice({
        fault: (moment, session) => {
          if (moment === 'middle') fault(session)
          return moment === 'middle'
        },
      }),
    )
    const call = await at()
    speak(call)
    await until(() => call.failures.length === 1)
    expect(call.failures).toMatchObject([{ fault: expected, executed: true }])
    call.link.respond()
    call.link.write(new Uint8Array(10))
    await call.link.close()
    expect(call.ends).toEqual([])
  })

  test('a refused key is told before anything was sent, without the key', async () => {
    upstream.refuse({ status: 403, body: { error: { message: `no ${secret}` } } })
    const error = await refusal(at())
    expect(error).toMatchObject({ fault: 'authentication', executed: false })
    expect(`${error.message} ${error.inside}`).not.toContain(secret)
  })

  test('a session that is never ready ends in time', async () => {
    upstream.serve(() => ({}))
    const error = await refusal(at({ timeouts: { ...patient, firstByteMs: 30 } }))
    expect(error).toMatchObject({ fault: 'timeout', executed: false })
  })

  test('what a closed session still says is told to nobody', async () => {
    upstream.serve(voice())
    const call = await at()
    const closing = call.link.close()
    upstream.sessions[0]!.send(sound(voiceOf(0)))
    await closing
    expect(call).toMatchObject({ told: [], failures: [] })
  })
})

describe('OpenAI’s realtime wire in its words', () => {
  test('the session is ours in every field that costs or answers', async () => {
    upstream.serve(openAiVoice())
    const { link } = await talk(realtimeProvider(address()))
    const { path, headers, events } = upstream.sessions[0]!
    expect(path).toBe('/v1/realtime?model=voice-1')
    expect(headers['authorization']).toBe(`Bearer ${secret}`)
    const pcm = { type: 'audio/pcm', rate: 24_000 }
    const session = {
      type: 'realtime',
      instructions: 'کوتاه پاسخ بده.',
      output_modalities: ['audio'],
      audio: {
        input: { format: pcm, turn_detection: null, transcription: { model: 'ears-1', language: 'fa' } },
        output: { format: pcm, voice: 'marin' },
      },
      tools: [{ type: 'function', ...setup.tools[0] }],
      tool_choice: 'auto',
      max_output_tokens: 200,
      truncation: {
        type: 'retention_ratio',
        retention_ratio: 0.8,
        token_limits: { post_instructions: 8_000 },
      },
    }
    expect(events).toEqual([{ type: 'session.update', session }])
    link.update({ ...setup, instructions: 'بلند پاسخ بده.', toolChoice: { name: 'weather' }, speaks: false })
    link.truncate('item_1', 1_234.5)
    link.remove('item_1')
    await until(() => events.length === 4)
    expect(events[1]).toMatchObject({
      session: {
        instructions: 'بلند پاسخ بده.',
        tool_choice: { type: 'function', name: 'weather' },
        output_modalities: ['text'],
      },
    })
    expect(events.slice(2)).toEqual([
      { type: 'conversation.item.truncate', item_id: 'item_1', content_index: 0, audio_end_ms: 1_234 },
      { type: 'conversation.item.delete', item_id: 'item_1' },
    ])
  })

  test('Azure has its key in a header of its own, and the same wire behind its path', async () => {
    upstream.serve(openAiVoice())
    const azure = { baseUrl: upstream.url.replace('/v1', '/openai/v1'), headers: { 'api-key': secret } }
    await talk(realtimeProvider(azure))
    expect(upstream.sessions[0]).toMatchObject({
      path: '/openai/v1/realtime?model=voice-1',
      headers: { 'api-key': secret },
    })
  })

  test.each([
    ['its answer’s', 'respond_1', 'invalid_request_error', 'failed'],
    ['another event’s', 'other', 'invalid_request_error', undefined],
  ])('an error of %s own event leaves the session open', async (_name, eventId, type, status) => {
    const error = { type, code: 'invalid_value', message: `wrong ${secret}`, event_id: eventId }
    upstream.serve(
      openAiVoice({
        fault: (moment, session) => {
          if (moment === 'answer') session.send({ type: 'error', error })
          return moment === 'answer' && status !== undefined
        },
      }),
    )
    const call = await talk(realtimeProvider(address()))
    call.link.respond()
    await until(() => call.ends.length === 1)
    expect(call.ends[0]!.status).toBe(status ?? 'completed')
    expect(`${call.ends[0]!.error?.message}`).not.toContain(secret)
    expect(call.failures).toEqual([])
  })

  test('an answer that the upstream could not make is one that failed, with what it cost', async () => {
    upstream.serve(
      openAiVoice({
        fault: (moment, session) => {
          if (moment !== 'answer') return false
          const details = { type: 'failed', error: { type: 'server_error', message: 'rate_limit' } }
          session.send({
            type: 'response.done',
            response: {
              status: 'failed',
              status_details: details,
              usage: { input_tokens: 5, output_tokens: 0 },
            },
          })
          return true
        },
      }),
    )
    const call = await talk(realtimeProvider(address()))
    call.link.respond()
    await until(() => call.ends.length === 1)
    expect(call.ends[0]).toMatchObject({
      status: 'failed',
      error: { executed: true },
      usage: { audioInput: 5, textInput: 0, audioOutput: 0 },
    })
  })

  test('a session whose time is over fails', async () => {
    upstream.serve(openAiVoice())
    const call = await talk(realtimeProvider(address()))
    const error = { type: 'invalid_request_error', code: 'session_expired', message: 'over' }
    upstream.sessions[0]!.send({ type: 'error', error })
    await until(() => call.failures.length === 1)
  })
})

describe('Gemini’s Live API in its words', () => {
  test('the setup is ours: no detection of its own, a window, what was before', async () => {
    upstream.serve(geminiVoice())
    const { link } = await talk(geminiRealtime(address()), { resumption: 'handle-0' })
    const { path, headers, events } = upstream.sessions[0]!
    expect(path).toBe('/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent')
    expect(headers['x-goog-api-key']).toBe(secret)
    expect(events[0]).toEqual({
      setup: {
        model: 'models/voice-1',
        generationConfig: {
          responseModalities: ['AUDIO'],
          maxOutputTokens: 200,
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'marin' } } },
        },
        systemInstruction: { parts: [{ text: 'کوتاه پاسخ بده.' }] },
        tools: [
          {
            functionDeclarations: [
              {
                name: 'weather',
                description: 'هوای یک شهر',
                parametersJsonSchema: { type: 'object', properties: {} },
              },
            ],
          },
        ],
        realtimeInputConfig: {
          automaticActivityDetection: { disabled: true },
          activityHandling: 'START_OF_ACTIVITY_INTERRUPTS',
        },
        inputAudioTranscription: {},
        outputAudioTranscription: {},
        sessionResumption: { handle: 'handle-0' },
        contextWindowCompression: { triggerTokens: 8_000, slidingWindow: { targetTokens: 6_400 } },
      },
    })
    await until(() => link.resumption === 'handle-1')
  })

  test('sound waits for the answer that it costs, and goes in one activity', async () => {
    upstream.serve(geminiVoice())
    const call = await talk(geminiRealtime(address()))
    const { events } = upstream.sessions[0]!
    call.link.write(new Uint8Array(40_000))
    call.link.commit()
    call.link.add({ type: 'message', role: 'assistant', text: 'پیش از این' })
    expect(events).toHaveLength(1)
    call.link.respond()
    await until(() => call.ends.length === 1)
    expect(events.slice(1).map((event) => Object.keys(event['realtimeInput'] ?? event)[0])).toEqual([
      'clientContent',
      'activityStart',
      'audio',
      'audio',
      'activityEnd',
    ])
    expect(events[1]).toEqual({
      clientContent: { turns: [{ role: 'model', parts: [{ text: 'پیش از این' }] }], turnComplete: false },
    })
  })

  test('of all that waits for one answer the last minute is kept, to the byte, for it or for another session', async () => {
    upstream.serve(geminiVoice())
    const { link } = await talk(geminiRealtime(address()))
    const minute = 60 * 32_000
    const unsent = () => link.unsent!.reduce((sum, { length }) => sum + length, 0)
    for (const bytes of [640, minute - 640]) {
      link.write(new Uint8Array(bytes))
      link.commit()
    }
    expect(unsent()).toBe(minute)
    link.write(new Uint8Array(2))
    link.commit()
    expect(unsent()).toBe(minute - 638)
    link.respond()
    expect(unsent()).toBe(0)
  })

  test('a turn in words and a picture is asked without an activity', async () => {
    upstream.serve(geminiVoice())
    const call = await talk(geminiRealtime(address()))
    call.link.add({ type: 'image', dataUrl: 'data:image/png;base64,AAAA' })
    call.link.add({ type: 'message', role: 'user', text: 'این چیست؟' })
    call.link.respond()
    await until(() => call.ends.length === 1)
    expect(upstream.sessions[0]!.events[1]).toEqual({
      clientContent: {
        turns: [
          { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
          { role: 'user', parts: [{ text: 'این چیست؟' }] },
        ],
        turnComplete: true,
      },
    })
  })

  test('what interrupts an answer begins the activity of the next turn', async () => {
    upstream.serve(geminiVoice({ fault: (moment) => moment === 'middle' }))
    const call = await talk(geminiRealtime(address()))
    call.link.add({ type: 'message', role: 'user', text: 'بگو' })
    call.link.respond()
    await until(() => call.sound.length === 1)
    call.link.cancel()
    await until(() => call.ends.length === 1)
    call.link.write(new Uint8Array(640))
    call.link.commit()
    call.link.respond()
    await until(() => call.sound.length === 2)
    const inputs = upstream.sessions[0]!.events.flatMap((event) => Object.keys(event['realtimeInput'] ?? {}))
    expect(inputs).toEqual(['activityStart', 'audio', 'activityEnd'])
  })

  test.each<[string, (call: Talk) => void]>([
    ['the upstream goes away', () => upstream.sessions[0]!.send({ goAway: { timeLeft: '10s' } })],
    ['the setup changes', ({ link }) => link.update(setup)],
  ])('another session is asked for, once, when %s', async (_name, happens) => {
    upstream.serve(geminiVoice())
    const call = await talk(geminiRealtime(address()))
    happens(call)
    happens(call)
    await until(() => call.told.length > 0)
    expect(call.told).toEqual(['leaving'])
    expect(call.failures).toEqual([])
  })
})
