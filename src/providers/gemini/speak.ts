import { sniff } from '#core/media'
import { type AudioCall, type SpeechResult, UpstreamError } from '#core/spec'
import type { SoundFormat, SpokenLine } from '#core/turn'
import { decodeBase64InSlices } from '#platform/bytes'
import { mediaRequest, type UpstreamClient, wholeSoundBytes } from '#providers/kit'
import { contentOf, type InlineData, malformed } from './answer.ts'

/** Bytes that are given to the sink at a time. */
const sliceBytes = 256 * 1024
const usualRate = 24_000

/** Speaks with one voice, or a dialogue of two. The sound comes in one piece, as samples or WAV, whatever was requested. */
export async function speak(client: UpstreamClient, call: AudioCall): Promise<SpeechResult> {
  const path = `/models/${encodeURIComponent(call.upstreamModel)}:generateContent`
  const answer = await client.json(mediaRequest(call, path, bodyOf(call)), wholeSoundBytes)
  const { data, usage } = contentOf(answer, 'sound', client.secrets)
  if (data.length > 1) throw malformed('an answer of several sounds')
  const bytes = await decodeBase64InSlices(data[0]!.base64)
  if (!bytes || bytes.length === 0) throw malformed('sound that is not Base64')
  await writeInSlices(bytes, formatOf(data[0]!, bytes), call)
  return usage ? { usage } : {}
}

async function writeInSlices(
  bytes: Uint8Array,
  format: SoundFormat,
  { order, signal }: AudioCall,
): Promise<void> {
  order.sink.begin(format)
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (signal.aborted) throw new UpstreamError('aborted', { executed: true })
    await order.sink.write(bytes.subarray(at, at + sliceBytes))
  }
}

/** The format of the sound. `audio/L16;codec=pcm;rate=24000` is signed 16-bit little-endian, one channel. */
function formatOf({ mediaType }: InlineData, bytes: Uint8Array): SoundFormat {
  const type = mediaType.toLowerCase()
  if (/^audio\/(l16|pcm)\b/.test(type)) {
    if (bytes.length % 2 !== 0) throw malformed('half a sample')
    const rate = Number(/;\s*rate=(\d{4,6})\b/.exec(type)?.[1] ?? usualRate)
    return { encoding: 'pcm', rate, channels: 1 }
  }
  if (sniff(bytes) === 'audio/wav') return { encoding: 'wav' }
  throw malformed('sound of no known type')
}

function bodyOf({ order }: AudioCall): Record<string, unknown> {
  const { lines, question, isVerbatim } = order
  const [line] = lines
  if (!line || question) throw unable('This wire speaks texts and answers no recordings.')
  const voices = [...new Set(lines.map(({ voice }) => voice))]
  if (voices.length > 2) throw unable('This wire speaks with two voices at most.')
  const nameOf = (voice: string): string => `Speaker${voices.indexOf(voice) + 1}`
  const speechConfig =
    voices.length === 2
      ? {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: voices.map((voice) => ({
              speaker: nameOf(voice),
              voiceConfig: voiceOf(voice),
            })),
          },
        }
      : { voiceConfig: voiceOf(line.voice) }
  const speaker = voices.length === 2 ? nameOf : undefined
  const parts = isVerbatim ? lines.map((one) => partOf(one, speaker)) : [{ text: scriptOf(lines, speaker) }]
  return {
    contents: [{ role: 'user', parts }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig,
    },
  }
}

type NameOf = (voice: string) => string

/** For models since generation 3.8: the text is read to the letter, and speaker and style stand beside it. */
function partOf({ text, voice, instructions }: SpokenLine, nameOf?: NameOf): Record<string, unknown> {
  const metadata = {
    ...(nameOf && { speaker: nameOf(voice) }),
    ...(instructions !== undefined && { style: instructions }),
  }
  return { text, ...(Object.keys(metadata).length > 0 && { speechMetadata: metadata }) }
}

/** For earlier models: one text, whose lines begin with their speakers, after the instructions for all of them. */
function scriptOf(lines: readonly SpokenLine[], nameOf?: NameOf): string {
  const styles = new Set(lines.map((line) => line.instructions))
  if (styles.size > 1) throw unable('This model takes one instruction for all lines.')
  const [instructions] = styles
  const text = lines
    .map((line) => (nameOf ? `${nameOf(line.voice)}: ${line.text.replace(/\s+/g, ' ')}` : line.text))
    .join('\n')
  return instructions === undefined ? text : `${instructions}:\n${text}`
}

const voiceOf = (voiceName: string) => ({ prebuiltVoiceConfig: { voiceName } })

const unable = (detail: string): UpstreamError =>
  new UpstreamError('invalid_request', { executed: false, detail })
