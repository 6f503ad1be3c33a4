/** Transcribes recordings without a model: the sandbox's own speech exactly, by the track of words in it; all other recordings are described. */

import {
  type TranscriptionCall,
  type TranscriptionProvider,
  type TranscriptionResult,
  UpstreamError,
} from '#core/spec'
import type { SpokenSegment, SpokenWord, TranscriptionOrder } from '#core/turn'
import { checkLength, segmentsOfWords } from '#providers/kit'
import { type Directives, readDirectives } from '../directives.ts'
import { raise } from '../faults.ts'
import { writtenLanguage } from '../language.ts'
import { Pacer, realClock } from '../pace.ts'
import { warmSound } from '../warm-sound.ts'
import { describe, describeForeign } from './describe.ts'
import { analyseRecording, type MeasuredSound, type RecognisedText } from './hear.ts'

/**
 * Directives for tests stand in the order's prompt (`directives.ts`); a piece is a word. With `tokens=<n>` the sandbox repeats what it heard, up to n
 * words; the text is held to what anybody can say in the time, like every upstream's answer.
 */
export function sandboxTranscription(): TranscriptionProvider {
  return { transcribe, warm: warmSound }
}

const cutAfter = 3

async function transcribe(call: TranscriptionCall): Promise<TranscriptionResult> {
  const { order, upstreamModel, signal, timeouts } = call
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  if (!/^(sandbox\/)?transcribe(:|$)/.test(upstreamModel)) {
    const detail = `The sandbox has no transcription model "${upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  const { directives } = readDirectives(order.prompt ?? '')
  const pacerTimeouts = { ...timeouts, firstTokenMs: timeouts.totalMs }
  const pacer = new Pacer(directives, pacerTimeouts, { signal, clock: realClock, run: { paused: undefined } })
  const isAffected = directives.on === undefined || directives.on === upstreamModel
  const fault = isAffected ? directives.fault : undefined
  const after = directives.after ?? (fault === 'cut' || fault === 'stall' ? cutAfter : 0)
  if (fault && after === 0) await raise(fault, directives, pacer)
  if (directives.refuse) {
    const detail = 'The sandbox was ordered to refuse.'
    throw new UpstreamError('content_refused', { status: 400, executed: false, detail })
  }
  const said = saidIn(await analyseRecording(order.recording), order)
  pacer.check()
  const text = repeatWords(said.text, directives)
  await send(text, order, { pacer, directives, after, fault })
  if (directives.bytes === 'wrong')
    throw new UpstreamError('malformed', { detail: 'The sandbox was ordered to answer with a page.' })
  return transcriptionOf(order, { ...said, text }, directives)
}

/** What is said in a recording; as a translation its English words, or an English sentence about others. */
function saidIn(
  { own, ...measured }: MeasuredSound & { own?: RecognisedText },
  { translate, language }: TranscriptionOrder,
): RecognisedText {
  if (own && !(translate && /\p{Script=Arabic}/u.test(own.text))) return own
  const text = own ? describeForeign(own.text) : describe(measured, translate ? 'en' : language)
  return { text, words: [], isOwn: false }
}

interface SendOptions {
  pacer: Pacer
  directives: Directives
  after: number
  fault: Directives['fault']
}

/** Sends the text word by word. A fault that is due at the end comes after the last word. */
async function send(text: string, order: TranscriptionOrder, sending: SendOptions): Promise<void> {
  const { pacer, directives, after, fault } = sending
  let characters = 0
  for (const piece of text.match(/\s*\S+|\s+$/g) ?? []) {
    if (fault && pacer.sent >= after) await raise(fault, directives, pacer)
    if (directives.bytes === 'cut' && pacer.sent >= cutAfter)
      throw new UpstreamError('cut', { detail: 'The sandbox was ordered to end early.' })
    await pacer.next()
    characters += piece.length
    checkLength(characters, order)
    order.onText?.(piece)
  }
  if (fault) await raise(fault, directives, pacer)
}

function repeatWords(text: string, { tokens }: Directives): string {
  if (tokens === undefined) return text
  const words = text.split(' ')
  return Array.from({ length: tokens }, (_, at) => words[at % words.length]!).join(' ')
}

function transcriptionOf(
  order: TranscriptionOrder,
  { text, words, isOwn }: RecognisedText,
  { omit }: Directives,
): TranscriptionResult {
  const { timestamps, diarize, recording } = order
  const language = writtenLanguage(text)
  const segments: SpokenSegment[] = isOwn
    ? segmentsOfWords(diarize ? words : words.map(nameless))
    : text === ''
      ? []
      : [{ start: 0, end: recording.seconds, text }]
  return {
    text,
    ...(language && { language }),
    ...((timestamps !== 'none' || diarize) && { segments }),
    ...(timestamps === 'word' && { words: diarize ? words : words.map(nameless) }),
    ...(omit !== 'usage' && { usage: { seconds: recording.seconds } }),
  }
}

const nameless = ({ start, end, word }: SpokenWord): SpokenWord => ({ start, end, word })
