import type { Media, Message, MessageContent, Turn, Usage } from '#core/turn'
import type { Tokenizer } from './tokens.ts'

/** Overheads in tokens, as common tokenisers count chat prompts: a message's frame, a name, a tool, the opening of the reply. */
const perMessage = 3
const perName = 1
const perTool = 8
const opening = 3

/** Tokens of media of unknown size, for example an image behind a link. */
const unmeasured = { image: 765, audio: 250, video: 2600 }
const tokensPerPage = 800
const audioTokensPerSecond = 25
const videoTokensPerSecond = 260

/**
 * Prompt tokens of a turn: all text by the tokenizer, the overheads above, tools and schema as JSON text. Images: 85 + 170 for each tile of
 * 512×512. Audio 25 and video 260 a second, both also in `mediaInput`. Counting ends early once the total is past `limit`.
 */
export function countInput(
  turn: Turn,
  tokenizer: Tokenizer,
  limit: number,
): Pick<Usage, 'input' | 'mediaInput'> {
  const totals = { input: opening, mediaInput: 0 }
  const add = (text: string) => {
    totals.input += tokenizer.count(text, limit - totals.input)
  }
  for (const message of turn.messages) {
    if (totals.input > limit) return totals
    addMessage(message, add, totals)
  }
  for (const tool of turn.tools) {
    if (totals.input > limit) return totals
    totals.input += perTool
    add(JSON.stringify([tool.name, tool.description ?? '', tool.parameters]))
  }
  if (turn.output.type === 'json_schema') add(JSON.stringify([turn.output.name, turn.output.schema]))
  return totals
}

function addMessage(
  message: Message,
  add: (text: string) => void,
  totals: { input: number; mediaInput: number },
): void {
  totals.input += perMessage
  add(message.role)
  if (message.name) {
    totals.input += perName
    add(message.name)
  }
  for (const part of message.content) addContent(part, totals, add)
  if (message.refusal) add(message.refusal)
  for (const call of message.toolCalls ?? []) add(`${call.name}${call.arguments}`)
}

function addContent(
  part: MessageContent,
  totals: { input: number; mediaInput: number },
  add: (text: string) => void,
): void {
  if (part.type === 'text' || part.type === 'reasoning') add(part.text)
  else if (part.type === 'document') {
    add(`${part.title ?? ''}${part.context ?? ''}`)
    if ('parts' in part) for (const inner of part.parts) addContent(inner, totals, add)
    else totals.input += (part.media.pages ?? 1) * tokensPerPage
  } else {
    const tokens = mediaTokens(part.type, part.media)
    totals.input += tokens
    if (part.type !== 'image') totals.mediaInput += tokens
  }
}

function mediaTokens(type: 'image' | 'audio' | 'video', media: Media): number {
  if (type === 'image') {
    if (media.width === undefined || media.height === undefined) return unmeasured.image
    return Math.ceil(media.width / 512) * Math.ceil(media.height / 512) * 170 + 85
  }
  if (media.durationSeconds === undefined) return unmeasured[type]
  return Math.ceil(media.durationSeconds * (type === 'audio' ? audioTokensPerSecond : videoTokensPerSecond))
}
