/** Reads a whole answer of a transcription endpoint: `json`, `verbose_json` or `diarized_json`, whichever came. */

import { type TranscriptionResult, UpstreamError } from '#core/spec'
import type { SegmentDetails, SpokenSegment, TranscriptionOrder } from '#core/turn'
import {
  checkLength,
  claimedCount,
  claimedSeconds,
  faultOfError,
  isRecord,
  languageCode,
  segmentsIn,
  spanOf,
  speakerOf,
  wordsIn,
} from '#providers/kit'

/** The transcript of an answer. Throws `UpstreamError`, always with `executed: true`: the upstream has done the work. */
export async function transcriptIn(
  answer: unknown,
  order: TranscriptionOrder,
  secrets: readonly string[],
): Promise<TranscriptionResult> {
  if (!isRecord(answer)) throw new UpstreamError('malformed', { detail: 'an answer that is no object' })
  if (answer['error'] != null) throw faultOfError(answer['error'], secrets)
  const { seconds } = order.recording
  const segments = await segmentsIn(answer['segments'], (item) => segmentOf(item, seconds))
  const text = textOf(answer['text'], segments)
  if (text === undefined) throw new UpstreamError('malformed', { detail: 'an answer without text' })
  checkLength(text.length, order)
  const words = await wordsIn(answer['words'] ?? wordsOfSegments(answer['segments']), seconds)
  const language = languageIn(answer)
  const usage = usageIn(answer['usage'])
  return {
    text,
    ...(language !== undefined && { language }),
    ...((order.timestamps !== 'none' || order.diarize) && segments.length > 0 && { segments }),
    ...(order.timestamps === 'word' && words.length > 0 && { words }),
    ...(usage && { usage }),
  }
}

/** The text, trimmed: whisper's servers begin it with a space and end each segment with a line break. */
const textOf = (text: unknown, segments: readonly SpokenSegment[]): string | undefined => {
  if (typeof text === 'string') return text.trim()
  return segments.length > 0 ? segments.map((one) => one.text).join(' ') : undefined
}

/** The language, where the answer names one: OpenAI's gpt-transcribe lists `languages`, whisper's servers say its English name. */
export const languageIn = ({ language, languages }: Record<string, unknown>): string | undefined => {
  const first: unknown = Array.isArray(languages) ? languages[0] : undefined
  return languageCode(isRecord(first) ? first['code'] : (first ?? language))
}

/** A segment with its times; undefined for one without times. */
export function segmentOf(item: Record<string, unknown>, seconds: number): SpokenSegment | undefined {
  const span = spanOf(item, seconds)
  if (!span || typeof item['text'] !== 'string') return undefined
  const details = detailsOf(item)
  return { ...span, text: item['text'].trim(), ...speakerOf(item['speaker']), ...(details && { details }) }
}

/** The most tokens of one segment of half a minute. */
const maxTokens = 1_000

function detailsOf(item: Record<string, unknown>): SegmentDetails | undefined {
  const details: SegmentDetails = {}
  for (const name of ['temperature', 'avg_logprob', 'compression_ratio', 'no_speech_prob', 'seek'] as const) {
    const value = item[name]
    if (typeof value === 'number') details[name] = value
  }
  const tokens = item['tokens']
  if (Array.isArray(tokens) && tokens.length <= maxTokens && tokens.every(Number.isSafeInteger))
    details.tokens = tokens as number[]
  return Object.keys(details).length > 0 ? details : undefined
}

/** The words inside the segments, where whisper.cpp's server and Speaches put them. */
const wordsOfSegments = (segments: unknown): unknown[] =>
  Array.isArray(segments)
    ? segments.flatMap((item: unknown): unknown[] =>
        isRecord(item) && Array.isArray(item['words']) ? item['words'] : [],
      )
    : []

/** The usage by tokens or by seconds, as the model is priced; OpenRouter adds the cost in USD. */
export function usageIn(usage: unknown): TranscriptionResult['usage'] | undefined {
  if (!isRecord(usage)) return undefined
  const seconds = claimedSeconds(usage['seconds'])
  const input = claimedCount(usage['input_tokens'])
  const output = claimedCount(usage['output_tokens'])
  const cost = usage['cost']
  const claims = {
    ...(seconds !== undefined && { seconds }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(typeof cost === 'number' && cost >= 0 && Number.isFinite(cost) && { costUsd: cost }),
  }
  return Object.keys(claims).length > 0 ? claims : undefined
}
