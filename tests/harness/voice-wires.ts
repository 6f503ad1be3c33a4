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

/** OpenAI's transcription sessions; `earlier`: as servers speak that know the wire of before its general release. */
export const openAiEars =
  ({ words = greetingWords, fault, claims, earlier = false }: Ears & { earlier?: boolean } = {}) =>
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
            usage:
              claims === undefined
                ? { type: 'tokens', input_tokens: 20, output_tokens: 5, total_tokens: 25 }
                : { type: 'duration', seconds: claims },
          }),
        )
      },
    }
  }
