/** Items that a client adds to the conversation. */
import { parseDataUrl, withTypeOfBytes } from '#core/media'
import type { ConversationItem, ItemContent } from '../parts.ts'
import { reasons } from '../phrases.ts'
import {
  type EventFields,
  isFields,
  readFields,
  readId,
  readList,
  readName,
  readOneOf,
  readText,
  refuse,
} from './fields.ts'

const maxContents = 32
/** The most characters of one text, of arguments, and of a function's output. */
const maxTextLength = 200_000

/**
 * An item as the conversation keeps it. `newId` names it where the client did not.
 * @throws INVALID_REQUEST with `param` below the given one
 */
export function readItem(value: unknown, param: string, newId: () => string): ConversationItem {
  const fields = readFields(value, param)
  const type = readOneOf(fields['type'], `${param}.type`, [
    'message',
    'function_call',
    'function_call_output',
  ])
  const id = fields['id'] == null ? newId() : readId(fields['id'], `${param}.id`)
  if (type === 'message') return { id, type, status: 'completed', ...readMessage(fields, param) }
  const call_id = readId(fields['call_id'], `${param}.call_id`)
  if (type === 'function_call_output')
    return { id, type, status: 'completed', content: [], call_id, output: textOf(fields, 'output', param) }
  return {
    id,
    type,
    status: 'completed',
    content: [],
    call_id,
    name: readName(fields['name'], `${param}.name`),
    arguments: textOf(fields, 'arguments', param),
  }
}

const textOf = (fields: EventFields, name: string, param: string): string =>
  readText(fields[name], `${param}.${name}`, 0, maxTextLength)

function readMessage(fields: EventFields, param: string): Pick<ConversationItem, 'content'> & { role: Role } {
  const role = readOneOf(fields['role'], `${param}.role`, ['user', 'assistant', 'system'])
  const content = readList(fields['content'], `${param}.content`, maxContents).map((part, index) =>
    readContent(part, role, `${param}.content.${index}`),
  )
  return { role, content }
}

type Role = NonNullable<ConversationItem['role']>

/** The types of content for each role. `text` and `audio` are the names that older clients give to the assistant's parts. */
const typesOf: Record<Role, readonly string[]> = {
  user: ['input_text', 'input_audio', 'input_image'],
  assistant: ['output_text', 'output_audio', 'text', 'audio'],
  system: ['input_text'],
}

function readContent(value: unknown, role: Role, param: string): ItemContent {
  const part = readFields(value, param)
  switch (readOneOf(part['type'], `${param}.type`, typesOf[role])) {
    case 'input_text':
      return { type: 'input_text', text: textOf(part, 'text', param) }
    case 'output_text':
    case 'text':
      return { type: 'output_text', text: textOf(part, 'text', param) }
    case 'input_image':
      return readImage(part, param)
    case 'input_audio':
      return { type: 'input_audio', transcript: spokenText(part, param) }
    default:
      return { type: 'output_audio', transcript: spokenText(part, param) }
  }
}

/** The transcript of sound from earlier calls, which is not transcribed again. */
const spokenText = (part: EventFields, param: string): string =>
  part['transcript'] == null
    ? refuse(`${param}.transcript`, reasons.noSound)
    : textOf(part, 'transcript', param)

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Reads a picture; its bytes are checked where a model gets them. */
function readImage(part: EventFields, param: string): ItemContent {
  const { image_url, detail } = part
  // Some clients send the format of Chat Completions.
  const url = isFields(image_url) ? image_url['url'] : image_url
  const typed = typeof url === 'string' ? withTypeOfBytes(url) : ''
  const parsed = parseDataUrl(typed)
  if (!parsed || !imageTypes.includes(parsed.mediaType) || !base64.test(parsed.base64))
    return refuse(`${param}.image_url`, reasons.image)
  return {
    type: 'input_image',
    image_url: typed,
    ...(detail != null && { detail: readOneOf(detail, `${param}.detail`, ['auto', 'low', 'high']) }),
  }
}
