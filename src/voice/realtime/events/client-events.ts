/** Reads the events that a client may send in a call, by the names of OpenAI's Realtime API. */
import { fail } from '#platform/errors'
import type { ConversationItem, EngineEvent, RealtimeEvent, ResponseOptions } from '../parts.ts'
import { reasons } from '../phrases.ts'
import {
  type EventFields,
  isFields,
  readFields,
  readId,
  readInteger,
  readList,
  readOneOf,
  readText,
  refuse,
} from './fields.ts'
import { readItem } from './items.ts'
import { maxInstructionsLength, readModalities, readTokens } from './session-update.ts'
import { type HostedToolCheck, readToolChoice, readTools } from './tools.ts'

/** A checked event. */
export type ClientEvent =
  | EngineEvent
  | { type: 'session.update'; session: unknown }
  | { type: 'input_audio_buffer.append'; audio: string }
  | { type: 'conversation.item.create'; item: ConversationItem; previousId: string | undefined }
  | { type: 'conversation.item.retrieve' | 'conversation.item.delete'; itemId: string }
  | { type: 'conversation.item.truncate'; itemId: string; contentIndex: number; audioEndMs: number }

type ClientEventReader = (event: EventFields, newId: () => string, hasHosted: HostedToolCheck) => ClientEvent

/** The reader of each event; the session's own update is checked by `updateSession`. */
const readers: Record<string, ClientEventReader> = {
  'session.update': ({ session }) => ({ type: 'session.update', session: readFields(session, 'session') }),
  'input_audio_buffer.append': ({ audio }) => ({
    type: 'input_audio_buffer.append',
    audio: typeof audio === 'string' ? audio : refuse('audio', reasons.base64),
  }),
  'input_audio_buffer.commit': () => ({ type: 'input_audio_buffer.commit' }),
  'input_audio_buffer.clear': () => ({ type: 'input_audio_buffer.clear' }),
  'output_audio_buffer.clear': () => ({ type: 'output_audio_buffer.clear' }),
  'conversation.item.create': ({ item, previous_item_id }, newId) => ({
    type: 'conversation.item.create',
    item: readItem(item, 'item', newId),
    previousId: previous_item_id == null ? undefined : readId(previous_item_id, 'previous_item_id'),
  }),
  'conversation.item.retrieve': ({ item_id }) => ({
    type: 'conversation.item.retrieve',
    itemId: readId(item_id, 'item_id'),
  }),
  'conversation.item.delete': ({ item_id }) => ({
    type: 'conversation.item.delete',
    itemId: readId(item_id, 'item_id'),
  }),
  'conversation.item.truncate': ({ item_id, content_index, audio_end_ms }) => ({
    type: 'conversation.item.truncate',
    itemId: readId(item_id, 'item_id'),
    contentIndex: content_index == null ? 0 : readInteger(content_index, 'content_index', 0, 31),
    audioEndMs: readInteger(audio_end_ms, 'audio_end_ms', 0, 24 * 3_600_000),
  }),
  'response.create': ({ response }, newId, hasHosted) => ({
    type: 'response.create',
    response: response == null ? {} : readResponse(readFields(response, 'response'), newId, hasHosted),
  }),
  'response.cancel': ({ response_id }) => ({
    type: 'response.cancel',
    responseId: response_id == null ? undefined : readId(response_id, 'response_id'),
  }),
}

/**
 * The event as the session understands it. Fields that the type does not have are ignored.
 * @throws UNKNOWN_EVENT and INVALID_REQUEST with the path of what is wrong
 */
export function readClientEvent(
  event: RealtimeEvent,
  newId: () => string,
  hasHosted: HostedToolCheck = () => false,
): ClientEvent {
  const { type } = event
  if (typeof type !== 'string' || type === '') return refuse('type', reasons.noType)
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined
  return read
    ? read(event, newId, hasHosted)
    : fail('UNKNOWN_EVENT', { type: type.slice(0, 80) }, { param: 'type' })
}

const maxInput = 100
const maxMarks = 16

function readResponse(fields: EventFields, newId: () => string, hasHosted: HostedToolCheck): ResponseOptions {
  const readOptional = <Value>(
    name: string,
    read: (value: unknown, param: string) => Value,
  ): Value | undefined => (fields[name] == null ? undefined : read(fields[name], `response.${name}`))
  /** The fields without effect are collected but not reported: only `session.updated` reports them. */
  const ignored: string[] = []
  return {
    instructions: readOptional('instructions', (value, at) => readText(value, at, 0, maxInstructionsLength)),
    modalities: readOptional('output_modalities', readModalities),
    ...readOptional('tools', (value, at) => readTools(value, at, { ignored, hasHosted })),
    toolChoice: readOptional('tool_choice', (value, at) => readToolChoice(value, at, ignored)),
    maxOutputTokens: readOptional('max_output_tokens', readTokens),
    conversation: readOptional('conversation', (value, at) => readOneOf(value, at, ['auto', 'none'])),
    input: readOptional('input', (value, at) =>
      readList(value, at, maxInput).map((item, index) => readInput(item, `${at}.${index}`, newId)),
    ),
    metadata: readOptional('metadata', readMetadata),
  }
}

/** An existing item, by its id, or an item for this response alone. */
function readInput(value: unknown, param: string, newId: () => string): ConversationItem | string {
  const fields = readFields(value, param)
  return fields['type'] === 'item_reference'
    ? readId(fields['id'], `${param}.id`)
    : readItem(fields, param, newId)
}

function readMetadata(value: unknown, param: string): Record<string, string> {
  const entries = Object.entries(isFields(value) ? value : refuse(param, reasons.object))
  if (entries.length > maxMarks) refuse(param, reasons.list(maxMarks))
  return Object.fromEntries(
    entries.map(([name, mark]) => [
      readText(name, param, 1, 64),
      readText(mark, `${param}.${name.slice(0, 64)}`, 0, 512),
    ]),
  )
}
