/** The turn of an answer: the path of the conversation as its model reads it. */
import type { Model } from '#core/models'
import { imageTypes, readMedia, requireEffort, requireFeatures } from '#core/text'
import type { BuiltInTool, HostedToolSet, Message, MessageContent, Turn } from '#core/turn'
import { fail } from '#platform/errors'
import { loadPath, type PathMessage } from '../path.ts'
import type { AnswersContext } from './app.ts'
import { Attachments } from './attachments.ts'
import type { SentPart } from './schema.ts'

/** The usual limit of an answer, in tokens. */
const usualOutputTokens = 16_384
/** Uses of all tools in one answer, and the most tokens of a page. */
const maxUses = 5
const maxPageTokens = 8_000
/** How many messages are read at once, and how many characters of them. */
const pageSize = 100
const pageCharacters = 1_000_000
/** The most characters of a path: no model reads as many. */
const maxCharacters = 8_000_000

export interface Question {
  model: Model
  conversationId: string
  /** The message before the new one; null: none. */
  parentId: string | null
  /** The parts of the new message; undefined where the message at `parentId` is the one that is answered. */
  parts: readonly SentPart[] | undefined
  hosted: readonly string[]
  effort: string | undefined
}

/** Builds the turn, with attached files read and measured. Throws before anything is held or stored. */
export async function turnOf(context: AnswersContext, question: Question): Promise<Turn> {
  const { model, hosted, effort } = question
  requireEffort(model, effort, 'reasoning_effort')
  requireFeatures(model, { tools: hosted.length > 0 ? 'hosted' : undefined })
  const path = await readPath(context, question)
  const attachments = new Attachments(context, model)
  const messages: Message[] = []
  for (const message of path) {
    const content = await contentOf(attachments, message)
    if (content.length > 0) messages.push({ role: message.role, content })
  }
  if (question.parts) messages.push({ role: 'user', content: await newContent(attachments, question.parts) })
  const turn: Turn = {
    messages,
    tools: [],
    ...(hosted.length > 0 && { hosted: toolsOf(hosted, openableText(path, question.parts)) }),
    toolChoice: { type: 'auto' },
    output: { type: 'text' },
    defaultOutputTokens: usualOutputTokens,
    maxOutputTokens: 0,
    stop: [],
    ...(effort !== undefined && { reasoning: { enabled: true, effort } }),
    stream: true,
    source: { wire: 'chat' },
  }
  const { app, caller, gone } = context
  return readMedia({ app: app.modelRequests, caller, gone }, model, turn, (body) => body)
}

/** The path up to the parent, oldest first. Throws CONTEXT_LENGTH_EXCEEDED for one that no model reads. */
async function readPath(
  { app, caller }: AnswersContext,
  { conversationId, parentId }: Question,
): Promise<PathMessage[]> {
  const pages: PathMessage[][] = []
  let characters = 0
  for (let leafId = parentId; leafId !== null; ) {
    const page = await loadPath(
      app.db,
      { accountId: caller.accountId, conversationId },
      { leafId, limit: pageSize, maxCharacters: pageCharacters },
    )
    pages.unshift(page)
    for (const { parts } of page) for (const part of parts) characters += part.characters
    if (characters > maxCharacters) fail('CONTEXT_LENGTH_EXCEEDED', {})
    leafId = page[0]?.parent_id ?? null
  }
  return pages.flat()
}

/** What the model reads of an earlier message: texts and files, and nothing of how an answer came about. */
async function contentOf(attachments: Attachments, { parts, role }: PathMessage): Promise<MessageContent[]> {
  const content: MessageContent[] = []
  for (const { kind, body, file_id: fileId } of parts) {
    if (kind === 'text' && body) content.push({ type: 'text', text: body })
    else if (role === 'user' && fileId !== null)
      content.push(await attachments.read(fileId, 'parent_id', true))
  }
  return content
}

async function newContent(attachments: Attachments, parts: readonly SentPart[]): Promise<MessageContent[]> {
  const content: MessageContent[] = []
  for (const [index, part] of parts.entries())
    content.push(
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : await attachments.read(part.file_id, `parts.${index}.file_id`, false),
    )
  return content
}

/** Tools of this service only: a vendor's own would open whatever a page tells it to. */
const toolsOf = (names: readonly string[], openable: string): HostedToolSet => ({
  tools: names.map((name, index) => ({
    tool: name as BuiltInTool,
    name,
    param: `hosted.${index}`,
    maxUses,
    maxContentTokens: maxPageTokens,
  })),
  maxUses,
  openable,
  atLimit: 'answer',
})

/** The addresses that a fetch may open from the start: those of the person's own words, and those that earlier searches and pages have shown. */
function openableText(path: readonly PathMessage[], parts: readonly SentPart[] | undefined): string {
  const words = path.flatMap(({ role, parts }) =>
    parts.flatMap(({ kind, body, detail }) => {
      if (role === 'user') return kind === 'text' ? [body ?? ''] : []
      return kind === 'tool_result' ? addressesIn(detail) : []
    }),
  )
  const own = (parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return [...words, ...own].join('\n')
}

const addressesIn = (detail: Record<string, unknown> | null): string[] =>
  ((detail?.['sources'] ?? []) as { url?: unknown }[]).flatMap(({ url }) =>
    typeof url === 'string' ? [url] : [],
  )

/** The most that tools can add to the prompt, in bytes, and in steps. */
export const toolBounds = { bytes: maxUses * maxPageTokens * 4, steps: 6, uses: maxUses }

/** How a sent part is stored. */
export const isPicture = (mediaType: string): boolean => imageTypes.includes(mediaType)
