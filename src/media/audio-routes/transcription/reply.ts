/** A transcript in the formats that clients read. */
import { costOf, usdOf } from '#core/calls'
import type { TranscriptionModel } from '#core/models'
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { cuesOf, srtOf, vttOf } from '#media/subtitles'
import type { Transcript } from '#media/transcription'
import type { RequestContext } from '#platform/http'
import { Slice } from '#platform/slices'
import type { AudioRoutesApp } from '../app.ts'
import { nameOf } from './language.ts'
import type { TranscriptionRequest } from './wish.ts'

/** Times have milliseconds: further digits come from adding. */
const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

/** The answer in text, srt or vtt, with its media type. Speakers are named where the request asked for them. */
export async function plainReply(
  format: 'text' | 'srt' | 'vtt',
  { spec }: Pick<TranscriptionRequest, 'spec'>,
  { text, words, seconds, language, ...transcript }: Transcript,
): Promise<{ text: string; mediaType: string }> {
  if (format === 'text') return { text: `${text}\n`, mediaType: 'text/plain; charset=utf-8' }
  const segments = spec.diarize
    ? transcript.segments
    : transcript.segments.map(({ speaker: _, ...segment }) => segment)
  const cues = await cuesOf({ segments, words, seconds })
  return format === 'srt'
    ? { text: await srtOf(cues, { language }), mediaType: 'application/x-subrip; charset=utf-8' }
    : { text: await vttOf(cues, { language }), mediaType: 'text/vtt; charset=utf-8' }
}

export interface ReplyContext extends Pick<RequestContext<AudioRoutesApp>, 'app' | 'requestId'> {
  wish: TranscriptionRequest
  /** The model that answered. */
  model: TranscriptionModel
}

/** The answer as JSON: json, verbose_json, diarized_json, or the contract's body. */
export async function jsonReply(context: ReplyContext, transcript: Transcript): Promise<string> {
  const { wish, model, requestId } = context
  const { text, language } = transcript
  const usage = usageOf(context, transcript)
  if (wish.format === 'json') return JSON.stringify({ text, usage })
  const task = wish.spec.translate ? 'translate' : 'transcribe'
  const head = { task, text, duration: rounded(transcript.seconds), usage }
  if (wish.format === 'diarized_json')
    return jsonWith(head, { segments: [transcript.segments, diarizedSegment] })
  const lists = {
    segments: [
      transcript.segments,
      (one: SpokenSegment, id: number) => verboseSegment(context, transcript, one, id),
    ],
    ...(wish.hasWords && {
      words: [transcript.words ?? [], (one: SpokenWord) => wordOf(context, transcript, one)],
    }),
  } as Record<string, List>
  if (wish.format === 'contract')
    return jsonWith({ ...head, language: language ?? null, model: model.id, request_id: requestId }, lists)
  // Strict clients require a string here, and OpenAI's clients read the name of the language.
  const said = language !== undefined && wish.wire === 'openai' ? nameOf(language) : language
  return jsonWith({ ...head, language: said ?? 'unknown' }, lists)
}

/** The members of a list, and how each is written. */
type List = readonly [readonly unknown[], (one: never, index: number) => unknown]

/** JSON with long lists: those of a recording of four hours are written in slices. */
async function jsonWith(head: object, lists: Record<string, List>): Promise<string> {
  const slice = new Slice()
  const texts: string[] = []
  for (const [name, [members, written]] of Object.entries(lists)) {
    const each: string[] = []
    for (const [index, member] of members.entries()) {
      if (slice.isOver()) await slice.next()
      each.push(JSON.stringify(written(member as never, index)))
    }
    texts.push(`"${name}":[${each.join(',')}]`)
  }
  return `${JSON.stringify(head).slice(0, -1)},${texts.join(',')}}`
}

/** The usage as each family of clients reads it, with the charge. */
export function usageOf(
  { app, wish, model: { pricing } }: ReplyContext,
  { seconds, tokens: { input, output }, microcredits }: Transcript,
): Record<string, unknown> {
  const cost = costOf(microcredits)
  const tokens = { input_tokens: input, output_tokens: output, total_tokens: input + output }
  const whole = Math.ceil(rounded(seconds))
  if (wish.wire === 'openrouter')
    return { seconds: whole, ...(input + output > 0 && tokens), cost: usdOf(app, microcredits), ...cost }
  // verbose_json and the contract's answer give seconds, whatever unit is paid.
  const saysTokens = wish.format === 'json' || wish.format === 'diarized_json'
  return saysTokens && pricing.perMinute === 0 && input + output > 0
    ? { type: 'tokens', ...tokens, ...cost }
    : { type: 'duration', seconds: whole, ...cost }
}

/**
 * A segment of verbose_json. Strict clients parse all of these fields. A figure that the upstream does not give is 0; `seek` counts hundredths, as
 * whisper does.
 */
function verboseSegment(
  { wish }: ReplyContext,
  transcript: Transcript,
  { start, end, text, speaker, details = {} }: SpokenSegment,
  id: number,
): Record<string, unknown> {
  return {
    id,
    seek: details.seek ?? Math.max(0, Math.round(start * 100)),
    start: rounded(start),
    end: rounded(end),
    text,
    tokens: details.tokens ?? [],
    temperature: details.temperature ?? wish.spec.temperature ?? 0,
    avg_logprob: details.avg_logprob ?? 0,
    compression_ratio: details.compression_ratio ?? 0,
    no_speech_prob: details.no_speech_prob ?? 0,
    ...speakerOf(wish, transcript, speaker),
  }
}

const wordOf = (
  { wish }: ReplyContext,
  transcript: Transcript,
  { word, start, end, speaker }: SpokenWord,
) => ({
  word,
  start: rounded(start),
  end: rounded(end),
  ...speakerOf(wish, transcript, speaker),
})

/** The speaker, where the request asked for speakers: a letter, or in the shape of OpenRouter its number from 0. */
function speakerOf(
  { wire, spec }: TranscriptionRequest,
  { speakers }: Transcript,
  speaker: string | undefined,
): { speaker?: string | number } {
  if (!spec.diarize || speaker === undefined || !speakers) return {}
  return { speaker: wire === 'openrouter' ? Math.max(0, speakers.indexOf(speaker)) : speaker }
}

/** A segment of diarized_json, which is also the event of one segment. */
export const diarizedSegment = ({ start, end, text, speaker }: SpokenSegment, index: number) => ({
  type: 'transcript.text.segment',
  id: `seg_${index + 1}`,
  start: rounded(start),
  end: rounded(end),
  text,
  speaker: speaker ?? 'unknown',
})
