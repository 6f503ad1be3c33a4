/** How many tokens an input can have, whatever tokenizer, template and formula of media its upstream uses. */

import type { Media, MessageContent, Turn } from '#core/turn'
import { assumedPages, inputBytes } from './metering.ts'

export interface PossibleInput {
  /** All tokens of the input, media included. */
  total: number
  /** The tokens of its audio and video. */
  media: number
}

/** The tokens of the chat template, and of what vendors put before a prompt by themselves. */
const templateTokens = 4_096
/** Extra tokens of each tool: vendors rewrite its schema in a form of their own. */
const toolTokens = 1_024
/** The image tokens of OpenAI's gpt-4o-mini in high detail: 2,833, and 5,667 for each of at most eight tiles. No other vendor counts as many. */
const dearestImageTokens = 48_169
/** The tokens of the text that a vendor reads from a page beside its picture; the bytes of the file are added for denser text. */
const pageTextTokens = 4_600
/** Tokens of a second of sound; encoders read it in windows of half a minute, the last one filled up with silence. */
const tokensPerAudioSecond = 50
const audioWindowSeconds = 30
/** Tokens of a second of video: Qwen's count at its highest resolution and ten pictures a second. */
const tokensPerVideoSecond = 4_000

/**
 * The most tokens that the input of a turn can have: a token of text has at least one byte. Undefined where the request bounds nothing: the upstream
 * fetches a picture or a document by itself, reads the prompt again after its own tools, or summarizes the prompt first.
 */
export function possibleInput(turn: Turn): PossibleInput | undefined {
  const content = turn.messages.flatMap((message) => message.content)
  if ((turn.upstreamRounds ?? 0) > 0 || turn.compacts || content.some(isByAddress)) return undefined
  const { tools } = turn.source.body ?? {}
  const toolCount = Math.max(turn.tools.length, Array.isArray(tools) ? tools.length : 0)
  const name = turn.output.type === 'json_schema' ? Buffer.byteLength(turn.output.name) : 0
  const text = inputBytes(turn) + name + templateTokens + toolCount * toolTokens
  const [pictures, media] = [sumOf(content, pictureTokens), sumOf(content, mediaTokens)]
  return { total: text + pictures + media, media }
}

const sumOf = (content: readonly MessageContent[], tokensOf: (part: MessageContent) => number): number =>
  content.reduce((sum, part) => sum + tokensOf(part), 0)

const isLink = ({ data, url }: Media): boolean => data === undefined && url !== undefined

function isByAddress(part: MessageContent): boolean {
  if (part.type === 'document' && 'parts' in part) return part.parts.some(isByAddress)
  return 'media' in part && isLink(part.media)
}

function pictureTokens(part: MessageContent): number {
  if (part.type === 'image') return dearestImageTokens
  if (part.type !== 'document') return 0
  if ('parts' in part) return sumOf(part.parts, pictureTokens)
  const { pages = assumedPages, data } = part.media
  return pages * (dearestImageTokens + pageTextTokens) + (data?.byteLength ?? 0)
}

function mediaTokens(part: MessageContent): number {
  if (part.type === 'document' && 'parts' in part) return sumOf(part.parts, mediaTokens)
  if (part.type !== 'audio' && part.type !== 'video') return 0
  const seconds = part.media.durationSeconds ?? 0
  if (part.type === 'video') return Math.ceil(seconds) * tokensPerVideoSecond
  return Math.ceil(seconds / audioWindowSeconds) * audioWindowSeconds * tokensPerAudioSecond
}
