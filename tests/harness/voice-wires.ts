/** What the vendors' live wires say, as scripts of `socketUpstream`. Each hears a fixed sentence, and lies or fails where it is told to. */
import type { SocketEvent, SocketScript, UpstreamSession } from './socket-upstream.ts'

/** Replaces what a script would say at a moment; answers true where it did. */
export type Fault = (moment: 'opened' | 'sound' | 'commit' | 'close', session: UpstreamSession) => boolean

export interface Ears {
  /** The words of each utterance. */
  words?: readonly string[]
  fault?: Fault
  /** Seconds that are claimed at the end, instead of those that came. */
  claims?: number
}

export const greetingWords = ['سلام', 'دنیا'] as const
const bytesPerSecond = 32_000

/** Deepgram's `listen`. */
export const deepgramEars =
  ({ words = greetingWords, fault, claims }: Ears = {}) =>
  (): SocketScript => {
    let heardBytes = 0
    let utteranceBytes = 0
    const result = (session: UpstreamSession, count: number, isFinal: boolean, isEnd = false): void => {
      const start = (heardBytes - utteranceBytes) / bytesPerSecond
      const said = words.slice(0, count)
      const each = utteranceBytes / bytesPerSecond / Math.max(1, words.length)
      session.send({
        type: 'Results',
        channel_index: [0, 1],
        start,
        duration: utteranceBytes / bytesPerSecond,
        is_final: isFinal,
        speech_final: false,
        ...(isEnd && { from_finalize: true }),
        channel: {
          alternatives: [
            {
              transcript: said.join(' '),
              confidence: 0.9,
              languages: ['fa'],
              words: said.map((word, at) => ({
                word,
                punctuated_word: word,
                start: start + at * each,
                end: start + (at + 1) * each,
                confidence: 0.9,
              })),
            },
          ],
        },
      })
    }
    return {
      opened: (session) => void fault?.('opened', session),
      bytes(bytes, session) {
        heardBytes += bytes.length
        utteranceBytes += bytes.length
        if (!fault?.('sound', session)) result(session, 1, false)
      },
      event({ type }, session) {
        if (type === 'Finalize' && !fault?.('commit', session)) {
          result(session, words.length, true, true)
          utteranceBytes = 0
        }
        if (type === 'CloseStream' && !fault?.('close', session)) {
          session.send({
            type: 'Metadata',
            request_id: 'request-1',
            duration: claims ?? heardBytes / bytesPerSecond,
            channels: 1,
          })
          session.close()
        }
      },
    }
  }

/** ElevenLabs' `speech-to-text/realtime`. */
export const scribeEars =
  ({ words = greetingWords, fault }: Ears = {}) =>
  (): SocketScript => ({
    opened(session) {
      if (!fault?.('opened', session))
        session.send({
          message_type: 'session_started',
          session_id: 'session-1',
          config: { sample_rate: 16_000 },
        })
    },
    event({ commit }, session) {
      if (fault?.(commit === true ? 'commit' : 'sound', session)) return
      if (commit === true) session.send({ message_type: 'committed_transcript', text: words.join(' ') })
      else session.send({ message_type: 'partial_transcript', text: words[0] ?? '' })
    },
  })

/** OpenAI's transcription sessions; `usages`: of each utterance; `earlier`: as servers speak that know the wire of before its general release. */
export const openAiEars =
  ({
    words = greetingWords,
    fault,
    claims,
    usages,
    earlier = false,
  }: Ears & { earlier?: boolean; usages?: readonly unknown[] } = {}) =>
  (): SocketScript => {
    const name = earlier ? 'transcription_session' : 'session'
    let item = 0
    const of = (kind: string, more: SocketEvent): SocketEvent => ({
      type: `conversation.item.input_audio_transcription.${kind}`,
      item_id: `item_${item}`,
      content_index: 0,
      ...more,
    })
    return {
      opened(session) {
        if (!fault?.('opened', session)) session.send({ type: `${name}.created`, session: { id: 'sess_1' } })
      },
      event({ type, session: asked }, session) {
        if (type === `${name}.update`) session.send({ type: `${name}.updated`, session: asked })
        if (type === 'input_audio_buffer.append') fault?.('sound', session)
        if (type !== 'input_audio_buffer.commit') return
        item += 1
        if (fault?.('commit', session)) return
        session.send({ type: 'input_audio_buffer.committed', item_id: `item_${item}` })
        for (const [at, word] of words.entries())
          session.send(of('delta', { delta: at === 0 ? word : ` ${word}` }))
        session.send(
          of('completed', {
            transcript: words.join(' '),
            usage: usages
              ? usages[item - 1]
              : claims === undefined
                ? { type: 'tokens', input_tokens: 20, output_tokens: 5, total_tokens: 25 }
                : { type: 'duration', seconds: claims },
          }),
        )
      },
    }
  }

/** What a realtime model answers. */
export interface Voice {
  /** Words of each answer, with 100 ms of sound for each. */
  words?: readonly string[]
  /** Asked for before anything is said, in the first answer. */
  calls?: { name: string; arguments: Record<string, unknown> }
  /** What the user is understood to have said. */
  heard?: string
  usage?: SocketEvent | null
  fault?: (moment: 'opened' | 'answer' | 'middle' | 'close', session: UpstreamSession) => boolean
}

/** 100 ms of 24 kHz. */
export const voiceOf = (word: number): Buffer => {
  const pcm = new Int16Array(2_400)
  for (let at = 0; at < pcm.length; at++)
    pcm[at] = 6_000 * Math.sin((2 * Math.PI * (200 + 50 * word) * at) / 24_000)
  return Buffer.from(pcm.buffer)
}

export const openAiUsage: SocketEvent = {
  total_tokens: 253,
  input_tokens: 132,
  output_tokens: 121,
  input_token_details: {
    text_tokens: 119,
    audio_tokens: 13,
    image_tokens: 0,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 60, audio_tokens: 4 },
  },
  output_token_details: { text_tokens: 30, audio_tokens: 91 },
}

/** OpenAI's realtime wire. An answer comes whole, unless `middle` says that the rest does not. */
export const openAiVoice =
  ({ words = greetingWords, calls, heard = 'سلام', usage = openAiUsage, fault }: Voice = {}) =>
  (): SocketScript => {
    let answers = 0
    let turns = 0
    const done = (session: UpstreamSession, status: string): void =>
      session.send({ type: 'response.done', response: { id: `resp_${answers}`, status, usage } })
    const answer = (session: UpstreamSession): void => {
      answers += 1
      if (fault?.('answer', session)) return
      const item = `item_answer_${answers}`
      session.send({ type: 'response.created', response: { id: `resp_${answers}`, status: 'in_progress' } })
      if (calls && answers === 1) {
        const call = {
          id: item,
          type: 'function_call',
          call_id: 'call_1',
          name: calls.name,
          arguments: JSON.stringify(calls.arguments),
        }
        session.send({ type: 'response.output_item.added', item: { ...call, arguments: '' } })
        session.send({ type: 'response.output_item.done', item: call })
        done(session, 'completed')
        return
      }
      session.send({ type: 'response.output_item.added', item: { id: item, type: 'message' } })
      for (const [at, word] of words.entries()) {
        const delta = at === 0 ? word : ` ${word}`
        session.send({ type: 'response.output_audio_transcript.delta', item_id: item, delta })
        session.send({
          type: 'response.output_audio.delta',
          item_id: item,
          delta: voiceOf(at).toString('base64'),
        })
        if (at === 0 && fault?.('middle', session)) return
      }
      done(session, 'completed')
    }
    return {
      opened(session) {
        if (!fault?.('opened', session)) session.send({ type: 'session.created', session: { id: 'sess_1' } })
      },
      event({ type, session: asked }, session) {
        if (type === 'session.update') session.send({ type: 'session.updated', session: asked })
        if (type === 'input_audio_buffer.commit') {
          turns += 1
          const item = { item_id: `item_user_${turns}` }
          const kind = 'conversation.item.input_audio_transcription'
          session.send({ type: 'input_audio_buffer.committed', ...item })
          session.send({ type: `${kind}.delta`, ...item, delta: heard })
          session.send({ type: `${kind}.completed`, ...item, transcript: heard })
        }
        if (type === 'response.create') answer(session)
        if (type === 'response.cancel') done(session, 'cancelled')
      },
    }
  }

export const geminiUsage: SocketEvent = {
  promptTokenCount: 300,
  responseTokenCount: 80,
  totalTokenCount: 380,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 120 },
    { modality: 'AUDIO', tokenCount: 150 },
  ],
  responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 80 }],
}

/** Gemini's Live API, which speaks JSON in binary messages. */
export const geminiVoice =
  ({ words = greetingWords, calls, heard = 'سلام', usage = geminiUsage, fault }: Voice = {}) =>
  (): SocketScript => {
    let answers = 0
    let isAnswering = false
    const say = (session: UpstreamSession, message: SocketEvent): void =>
      session.send(Buffer.from(JSON.stringify(message)))
    const finish = (session: UpstreamSession, more: SocketEvent = {}): void => {
      isAnswering = false
      say(session, {
        serverContent: { turnComplete: true, ...more },
        ...(usage && { usageMetadata: usage }),
      })
    }
    const answer = (session: UpstreamSession): void => {
      answers += 1
      isAnswering = true
      if (fault?.('answer', session)) return
      if (calls && answers === 1) {
        const functionCalls = [{ id: 'call_1', name: calls.name, args: calls.arguments }]
        say(session, { toolCall: { functionCalls }, ...(usage && { usageMetadata: usage }) })
        return
      }
      for (const [at, word] of words.entries()) {
        const inlineData = { mimeType: 'audio/pcm;rate=24000', data: voiceOf(at).toString('base64') }
        say(session, { serverContent: { modelTurn: { parts: [{ inlineData }] } } })
        say(session, { serverContent: { outputTranscription: { text: at === 0 ? word : ` ${word}` } } })
        if (at === 0 && fault?.('middle', session)) return
      }
      say(session, { serverContent: { generationComplete: true } })
      finish(session)
    }
    return {
      opened: (session) => void fault?.('opened', session),
      event({ setup, realtimeInput, clientContent, toolResponse }, session) {
        if (setup !== undefined) {
          say(session, { setupComplete: {} })
          say(session, { sessionResumptionUpdate: { newHandle: 'handle-1', resumable: true } })
        }
        const input = (realtimeInput ?? {}) as SocketEvent
        if (input['activityStart'] !== undefined && isAnswering) finish(session, { interrupted: true })
        if (input['activityEnd'] !== undefined) {
          say(session, { serverContent: { inputTranscription: { text: heard } } })
          answer(session)
        }
        if ((clientContent as SocketEvent | undefined)?.['turnComplete'] === true) answer(session)
        if (toolResponse !== undefined) answer(session)
      },
    }
  }
